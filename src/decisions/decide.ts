/** What a person decides about holds, on record for the next sync. */

import { ConfigurationError } from '../core/errors.ts';
import type { Act } from '../database/actor-transaction.ts';
import type { BatchDecision, QuestionBatch } from './statements/batches.ts';
import { recordBatchDecision } from './statements/batches.ts';
import type { Question, QuestionDecision } from './statements/questions.ts';
import { type Decider, recordDecision } from './statements/questions.ts';
import { BATCH_KINDS, type BatchDecisionWord } from './views/batch-kinds.ts';
import type { DecisionWord } from './views/kinds.ts';
import { batchDecisionsFor } from './views/question.ts';

/** What each word is on record as. */
export const DECIDED = {
  approve: 'approved',
  reject: 'rejected',
  resubmit: 'resubmitted',
} as const satisfies Record<DecisionWord, QuestionDecision>;

/** Stores a decision of `decisionsFor`; false if the question is decided already. */
export function decideQuestion(
  decider: Decider,
  question: Question,
  word: DecisionWord,
): Promise<boolean> {
  return recordDecision(decider, question, DECIDED[word]);
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
  batch: Pick<QuestionBatch, 'id' | 'source'>,
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
  act: Act,
  { id, integrationId: integration, kind }: Pick<QuestionBatch, 'id' | 'integrationId' | 'kind'>,
  word: BatchDecisionWord,
): Promise<DecidedBatch> {
  const decision = DECIDED[word];
  const count = await recordBatchDecision(act, id, decision);
  const credits = word === 'approve' ? BATCH_KINDS[kind].credits(count) : 0;
  return { id, integration, decision, count, credits };
}
