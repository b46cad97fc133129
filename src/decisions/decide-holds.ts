/** What a person decides about holds, on record for the next sync. */
import { ConfigurationError } from '../core/errors.ts';
import type { Store } from '../store.ts';
import type { BatchDecision, HoldBatch } from './statements/hold-batches.ts';
import type { HoldDecision } from './statements/holds.ts';
import {
  type AnyHold,
  type BatchDecisionWord,
  batchDecisionsFor,
  type DecisionWord,
  getBatchCredits,
} from './views/hold.ts';

/** What each word is on record as. */
export const DECIDED = {
  approve: 'approved',
  reject: 'rejected',
  resubmit: 'resubmitted',
} as const satisfies Record<DecisionWord, HoldDecision>;

/** The part of the store that takes decisions. */
export interface DecisionStore {
  holds: Pick<Store['holds'], 'decide'>;
  networkHolds: Pick<Store['networkHolds'], 'decide'>;
}

/** Notes a decision of `decisionsFor`; false if it was decided already. */
export function decideHold(
  store: DecisionStore,
  hold: AnyHold,
  word: DecisionWord,
): Promise<boolean> {
  if (hold.about === 'contact') return store.holds.decide(hold.row, DECIDED[word]);
  return store.networkHolds.decide(hold.row, word === 'approve' ? 'approved' : 'rejected');
}

/** What was decided, in the form for programs. */
export interface DecidedBatch {
  id: string;
  integration: string;
  decision: BatchDecision;
  /** Contacts that this decision was about; those decided before are not among them. */
  count: number;
  /** What the next sync spends on it at most. */
  credits: number;
}

/** Throws a ConfigurationError, with nothing decided, for an answer that the batch does not have. */
export function requireBatchDecision(
  batch: Pick<HoldBatch, 'id' | 'source'>,
  word: BatchDecisionWord,
): void {
  if (batchDecisionsFor(batch).includes(word)) return;
  throw new ConfigurationError(
    'A privacy hold of the CRM (HasPrivacyHold) forbids the erasure of these contacts. Nothing was erased: end the hold in the CRM, and the next sync asks whether to erase them.',
    { code: 'privacy_hold', details: { batch: batch.id } },
  );
}

/**
 * Decides all that is still open of a batch. It can be broken off at any moment: repeated, it goes on
 * with the rest.
 */
export async function decideBatch(
  { holds }: { holds: Pick<Store['holds'], 'decideBatch'> },
  { id, integrationId: integration, kind }: Pick<HoldBatch, 'id' | 'integrationId' | 'kind'>,
  word: BatchDecisionWord,
): Promise<DecidedBatch> {
  const decision = DECIDED[word];
  const count = await holds.decideBatch(id, decision);
  const credits = word === 'approve' ? getBatchCredits({ kind, count }) : 0;
  return { id, integration, decision, count, credits };
}
