/**
 * Runs the trial of a mapping during a run. The database contains the trial's state. If a run is killed between a
 * submission and its results, the next run continues the trial.
 */

import type { ContactRecord } from '../../contacts/contacts.ts';
import { findContacts, listDueContactIds } from '../../contacts/contacts.ts';
import { PRIORITY } from '../../contacts/life/line-events.ts';
import { MAX_PERSONS_PER_SUBMISSION } from '../../core/person.ts';
import {
  acceptMappingByTrial,
  countAnswersByMapping,
  countAnswersWithRecognised,
  countUnansweredByMapping,
  findMapping,
  type MappingRecord,
  withdrawMapping,
} from '../../credits/statements/mappings.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { createSpread } from '../spread.ts';
import {
  type Acceptance,
  ANSWERS_IN_A_ROW,
  decideTrial,
  judgeLater,
  type TrialFacts,
  type TrialStep,
  type Verdict,
  verdictText,
} from './trial.ts';

type TrialDeps = Pick<SyncDeps, 'store' | 'log'>;

/** The parts of a run that are needed for a trial. */
export type TrialRun = Pick<Run, 'id' | 'integration' | 'mapping' | 'partnerKey'>;

/** Limits what a run may submit during a trial. */
export interface Trial {
  /** True once the trial has certainly ended. During the trial, only one submission is in flight at a time. */
  readonly isOver: boolean;
  /**
   * Decides how many contacts the run may send now. If this run may not send any more contacts, returns `stopped` and
   * records the reason. `hasDue` returns true if a contact waits to be sent.
   */
  step(hasDue: () => Promise<boolean>): Promise<'over' | 'wait' | 'stopped' | { atMost: number }>;
  /** True if the service still recognises enough people of an accepted mapping. */
  isStillKnown(): Promise<boolean>;
}

export function createTrial({ store, log }: TrialDeps, run: Run): Trial {
  const { id } = run.integration;
  let isOver = false;

  return {
    get isOver() {
      return isOver;
    },
    async step(hasDue) {
      if (isOver) return 'over';
      const step = decideTrial(await findTrialFacts({ store }, run));
      switch (step.kind) {
        case 'over':
          isOver = true;
          return 'over';
        case 'passed':
          await store.checkpoint(run.lease, (trx) => acceptMappingByTrial(trx, run.mapping));
          log.info({ run: run.id, integration: id }, 'the mapping passed its trial');
          return 'over';
        case 'wait':
          return 'wait';
        case 'send':
          return { atMost: step.atMost };
        case 'unanswered':
          if (await hasDue()) stopUnanswered(step);
          return 'stopped';
        case 'failed':
          run.control.stopSpending('match_rate_low', verdictText(step.verdict, id));
          return 'stopped';
      }
    },
    async isStillKnown() {
      const verdict = await findLaterVerdict({ store }, run);
      if (verdict === null) return true;
      await store.checkpoint(run.lease, (trx) => withdrawMapping(trx, run.mapping));
      run.control.stopSpending('match_rate_low', verdictText(verdict, id));
      return false;
    },
  };

  function stopUnanswered({ count }: Extract<TrialStep, { kind: 'unanswered' }>): void {
    run.control.stopSpending(
      'partner_unavailable',
      `The Partner Data Service has not yet returned the profiles of the ${count} contacts that were sent first. Nothing more is sent until it has. The next run checks them again.`,
    );
  }
}

/**
 * Returns a verdict if a mapping was accepted because of its match rate, but the service has recognised too few people
 * since then. Returns null otherwise.
 */
export async function findLaterVerdict(
  { store }: Pick<TrialDeps, 'store'>,
  run: Pick<TrialRun, 'integration' | 'mapping'>,
): Promise<Verdict | null> {
  const { size, minKnown } = run.integration.guards.trial;
  const mapping = await findMapping(store.reader, run.integration.id, run.mapping);
  if (size === 0 || !mapping || mapping.acceptedBy === 'person') return null;
  const { acceptedAt } = mapping;
  const first = judgeLater({ ...(await countAnswers({ store }, run, acceptedAt)), minKnown });
  if (first === null) return null;
  const all = await countAnswersWithRecognised(
    store.reader,
    run.integration.id,
    run.mapping,
    toLastAnswers(acceptedAt),
  );
  return judgeLater({ ...all, minKnown });
}

/** Returns the parts of the mapping's state that the trial needs. */
export async function findTrialFacts(
  { store }: Pick<TrialDeps, 'store'>,
  run: TrialRun,
): Promise<TrialFacts> {
  const { id, guards } = run.integration;
  const acceptance = toAcceptance(await findMapping(store.reader, id, run.mapping));
  const facts = { ...guards.trial, acceptance };
  const isOver = facts.size === 0 || acceptance === 'person' || acceptance === 'by_rate';
  if (isOver) return { ...facts, answered: 0, known: 0, open: 0, stuck: 0 };
  return {
    ...facts,
    ...(await countAnswers({ store }, run, null)),
    ...(await countUnansweredByMapping(store.reader, id, run.mapping, run)),
  };
}

function countAnswers(
  { store }: Pick<TrialDeps, 'store'>,
  { integration, mapping }: Pick<TrialRun, 'integration' | 'mapping'>,
  since: number | null,
) {
  return countAnswersByMapping(store.reader, integration.id, mapping, toLastAnswers(since));
}

function toLastAnswers(since: number | null): { limit: number; since?: number } {
  return since === null ? { limit: ANSWERS_IN_A_ROW } : { limit: ANSWERS_IN_A_ROW, since };
}

function toAcceptance(mapping: MappingRecord | undefined): Acceptance {
  if (!mapping || mapping.acceptedBy === null) return 'none';
  if (mapping.acceptedAt === null) return 'withdrawn';
  return mapping.acceptedBy === 'person' ? 'person' : 'by_rate';
}

/**
 * Chooses due contacts, spread over all contacts. Returns more contacts than a trial may send, because some contacts
 * may be the same person or may have left the CRM.
 */
export async function spreadDue(
  { store }: Pick<TrialDeps, 'store'>,
  { integration, only }: Pick<Run, 'integration' | 'only'>,
): Promise<ContactRecord[]> {
  const spread = createSpread(store, MAX_PERSONS_PER_SUBMISSION);
  const due = { maxPriority: PRIORITY.refresh, only };
  for await (const crmId of listDueContactIds(store.reader, integration.id, due)) spread.add(crmId);
  const ids = spread.ids();
  const rows = await findContacts(store.reader, integration.id, ids);
  return ids.flatMap((crmId) => rows.get(crmId) ?? []);
}
