/** Records users' decisions about holds. The next sync applies them. */

import type { Act } from '../database/actor-transaction.ts';
import { heldForPrivacy } from '../privacy/forget/forget.ts';
import type { BatchDecision, QuestionBatch } from './statements/batches.ts';
import { recordBatchDecision } from './statements/batches.ts';
import type { Question, QuestionDecision } from './statements/questions.ts';
import { type Decider, recordDecision } from './statements/questions.ts';
import { BATCH_KINDS, type BatchDecisionWord } from './views/batch-kinds.ts';
import type { DecisionWord } from './views/kinds.ts';
import { batchDecisionsFor } from './views/question.ts';

/** The decision that is recorded for each word that users type. */
export const DECIDED = {
  approve: 'approved',
  reject: 'rejected',
  resubmit: 'resubmitted',
} as const satisfies Record<DecisionWord, QuestionDecision>;

/** Stores one of the decisions from `decisionsFor`. Returns false if the question has already been decided. */
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
  /** How many contacts this decision covers. Contacts that were decided earlier do not count. */
  count: number;
  /** The maximum number of credits that the decision costs in the next sync. */
  credits: number;
}

/** Throws a ConfigurationError if the batch does not allow the answer. Decides nothing. */
export function requireBatchDecision(
  batch: Pick<QuestionBatch, 'id' | 'source'>,
  word: BatchDecisionWord,
): void {
  if (batchDecisionsFor(batch).includes(word)) return;
  throw heldForPrivacy('these contacts', { batch: batch.id });
}

/**
 * Decides all open questions of a batch that were opened up to `until`. A run in progress can add contacts later, which
 * nobody has seen. If the process is interrupted, another call continues with the rest.
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
