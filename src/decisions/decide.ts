/** Records users' decisions about holds for the next sync. */

import type { Act } from '../database/actor-transaction.ts';
import { heldForPrivacy } from '../privacy/forget/forget.ts';
import type { BatchDecision, QuestionBatch } from './statements/batches.ts';
import { recordBatchDecision } from './statements/batches.ts';
import type { Question, QuestionDecision } from './statements/questions.ts';
import { type Decider, recordDecision } from './statements/questions.ts';
import { BATCH_KINDS, type BatchDecisionWord } from './views/batch-kinds.ts';
import type { DecisionWord } from './views/kinds.ts';
import { batchDecisionsFor } from './views/question.ts';

/** The recorded decision for each word that users type. */
export const DECIDED = {
  approve: 'approved',
  reject: 'rejected',
  resubmit: 'resubmitted',
} as const satisfies Record<DecisionWord, QuestionDecision>;

/** Stores a decision from `decisionsFor`; false if the question has already been decided. */
export function decideQuestion(
  decider: Decider,
  question: Question,
  word: DecisionWord,
): Promise<boolean> {
  return recordDecision(decider, question, DECIDED[word]);
}

/** The result of a decision about a batch, in the form for programs. */
export interface DecidedBatch {
  id: string;
  integration: string;
  decision: BatchDecision;
  /** The number of contacts in this decision, not counting contacts decided earlier. */
  count: number;
  /** The maximum number of credits that the next sync spends because of it. */
  credits: number;
}

/** Throws a ConfigurationError, without deciding anything, for an answer that the batch does not allow. */
export function requireBatchDecision(
  batch: Pick<QuestionBatch, 'id' | 'source'>,
  word: BatchDecisionWord,
): void {
  if (batchDecisionsFor(batch).includes(word)) return;
  throw heldForPrivacy('these contacts', { batch: batch.id });
}

/**
 * Decides everything in a batch that is still open and was opened up to `until`, because a run in progress
 * can add contacts that nobody has seen. It can be interrupted at any moment. When repeated, it continues
 * with the rest.
 */
export async function decideBatch(
  act: Act,
  {
    id,
    integrationId: integration,
    kind,
    until,
  }: Pick<QuestionBatch, 'id' | 'integrationId' | 'kind' | 'until'>,
  word: BatchDecisionWord,
): Promise<DecidedBatch> {
  const decision = DECIDED[word];
  const count = await recordBatchDecision(act, id, decision, until);
  const credits = word === 'approve' ? BATCH_KINDS[kind].credits(count) : 0;
  return { id, integration, decision, count, credits };
}
