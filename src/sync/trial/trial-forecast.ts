/** Describes the trial of the current mapping for a preview. */
import type { Run, SyncDeps } from '../control/context.ts';
import { fingerprintMapping } from '../control/mapping.ts';
import { decideTrial, type TrialFacts } from './trial.ts';
import { findLaterVerdict, findTrialFacts } from './trial-round.ts';

export interface TrialForecast {
  /**
   * The state of the trial. `off`: the settings switch the trial off. `on_trial`: runs send a few people first.
   * `failed`: runs send nobody until a user accepts the match rate or the columns change.
   */
  state: 'off' | 'accepted' | 'on_trial' | 'failed';
  /**
   * The number of people that the next run sends before it waits for their results. Null if the run does not have to
   * wait.
   */
  first: number | null;
  /** The minimum share of people that the service has to recognise. */
  minKnown: number;
  /** The number of the service's answers with this mapping on which the verdict is based. */
  answered: number;
  known: number;
}

/** Returns the trial's effect on a run that has `paid` people to send. The connector must be prepared. */
export async function forecastTrial(
  deps: Pick<SyncDeps, 'store' | 'connector'>,
  run: Pick<Run, 'integration' | 'partnerKey'>,
  paid: number,
): Promise<TrialForecast> {
  const mapping = fingerprintMapping(deps, run.integration);
  const facts = await findTrialFacts(deps, { ...run, id: '', mapping });
  const verdict = await findLaterVerdict(deps, { ...run, mapping });
  const { minKnown, answered, known } = verdict ?? facts;
  const counts = { minKnown, answered, known };
  if (verdict !== null) return { state: 'failed', first: 0, ...counts };
  return { ...toState(facts, paid), ...counts };
}

function toState(facts: TrialFacts, paid: number): Pick<TrialForecast, 'state' | 'first'> {
  const step = decideTrial(facts);
  switch (step.kind) {
    case 'over':
      return { state: facts.size === 0 ? 'off' : 'accepted', first: null };
    case 'passed':
      return { state: 'accepted', first: null };
    case 'failed':
      return { state: 'failed', first: 0 };
    case 'send':
      return { state: 'on_trial', first: Math.min(paid, step.atMost) };
    default:
      // The run first waits for the results of submissions in flight.
      return { state: 'on_trial', first: Math.min(paid, facts.size) };
  }
}
