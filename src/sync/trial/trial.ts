/**
 * Decides whether the service recognises the people that a mapping describes. A wrong column would waste every credit.
 * Therefore, a run sends a few people first and waits for their results. All functions are pure.
 */

/** The minimum number of answers from the service. With fewer answers, a trial has no verdict. */
const MIN_ANSWERED = 10;

/** The number of latest answers that donor-sync checks after a mapping was accepted. */
export const ANSWERS_IN_A_ROW = 200;

/** The minimum share of recognised people in the latest answers, unless the settings require less. */
const MIN_KNOWN_LATER = 0.05;

/** The settings of the trial. A size of 0 switches the trial off. */
export interface TrialSettings {
  size: number;
  /** The minimum share of people that the service has to recognise, from 0 to 1. */
  minKnown: number;
}

/** How a mapping was accepted: by a user, because of its match rate, not yet, or not any more. */
export type Acceptance = 'person' | 'by_rate' | 'none' | 'withdrawn';

export interface TrialFacts extends TrialSettings {
  acceptance: Acceptance;
  /** The number of the last answers for paid contacts, at most `ANSWERS_IN_A_ROW`. */
  answered: number;
  known: number;
  /** The number of contacts whose answers can still arrive during this run. */
  open: number;
  /** The number of contacts whose answers can arrive only in a later run. */
  stuck: number;
}

/** The next step of the trial. */
export type TrialStep =
  /** The run needs no trial, or the mapping has passed its trial. */
  | { kind: 'over' }
  | { kind: 'passed' }
  /** The run sends nobody until the service has answered the submissions in flight. */
  | { kind: 'wait' }
  /** The run sends this number of contacts, and then waits for their results. */
  | { kind: 'send'; atMost: number }
  /** Too many contacts have no answer yet, and their answers will not arrive during this run. */
  | { kind: 'unanswered'; count: number }
  | { kind: 'failed'; verdict: Verdict };

/** The numbers that show that the service recognised too few people. */
export interface Verdict {
  answered: number;
  known: number;
  /** The required share of recognised people. */
  minKnown: number;
  /** True if the mapping had been accepted earlier. */
  later: boolean;
}

/** Decides the trial's next step. Until the mapping is accepted, at most `size` contacts may wait for an answer. */
export function decideTrial(facts: TrialFacts): TrialStep {
  const { size, acceptance, answered, open, stuck } = facts;
  if (size === 0 || acceptance === 'person' || acceptance === 'by_rate') return { kind: 'over' };
  if (open > 0) return { kind: 'wait' };
  if (answered >= MIN_ANSWERED) {
    const verdict = buildVerdict(facts, acceptance === 'withdrawn');
    return isTooLow(verdict) ? { kind: 'failed', verdict } : { kind: 'passed' };
  }
  if (stuck >= size) return { kind: 'unanswered', count: stuck };
  return { kind: 'send', atMost: size - stuck };
}

/** Returns the verdict on an accepted mapping if the service now recognises too few people. Returns null otherwise. */
export function judgeLater(
  facts: Pick<TrialFacts, 'answered' | 'known' | 'minKnown'>,
): Verdict | null {
  if (facts.answered < ANSWERS_IN_A_ROW) return null;
  const verdict = buildVerdict(facts, true);
  return isTooLow(verdict) ? verdict : null;
}

function buildVerdict(
  { answered, known, minKnown }: Pick<TrialFacts, 'answered' | 'known' | 'minKnown'>,
  later: boolean,
): Verdict {
  return { answered, known, later, minKnown: later ? laterShare(minKnown) : minKnown };
}

function laterShare(minKnown: number): number {
  return Math.min(MIN_KNOWN_LATER, minKnown);
}

function isTooLow({ answered, known, minKnown }: Verdict): boolean {
  return known / answered < minKnown;
}

/** Returns a text for users that describes the verdict and the next steps. */
export function verdictText({ answered, known, minKnown, later }: Verdict, id: string): string {
  const sent = later ? `the last ${answered} contacts sent` : `the ${answered} contacts sent first`;
  const share = `${Math.round(minKnown * 1_000) / 10} %`;
  return (
    `The service recognised ${known} of ${sent}. This is below the limit of ${share}, so nothing more is sent. ` +
    `Check a few people with \`donor-sync plan ${id}\`. Correct the columns, ` +
    `or accept the match rate with \`donor-sync sync ${id} --accept-match-rate\`.`
  );
}
