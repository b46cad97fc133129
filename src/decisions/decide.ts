/** Records decisions about held contacts. The next sync applies them. */

import {
  type BatchDecision,
  type BatchDecisionWord,
  DECIDED,
  type DecisionWord,
} from '../core/questions/decisions.ts';
import { getMostCredits } from '../core/questions/question-kinds.ts';
import type { Act } from '../database/actor-transaction.ts';
import { heldForPrivacy } from '../privacy/forget/forget.ts';
import type { QuestionBatch } from './statements/batches.ts';
import { recordBatchDecision } from './statements/batches.ts';
import type { Question } from './statements/questions.ts';
import { type Decider, recordDecision } from './statements/questions.ts';
import { batchDecisionsFor } from './views/question.ts';

/** Returns false if the question is already decided. */
export function decideQuestion(
  decider: Decider,
  question: Question,
  word: DecisionWord,
): Promise<boolean> {
  return recordDecision(decider, question, DECIDED[word]);
}

/** The result of a decision about a batch, in the JSON format. */
export interface DecidedBatch {
  id: string;
  integration: string;
  decision: BatchDecision;
  /** The number of contacts that the decision applies to. Contacts with an earlier decision are not counted. */
  count: number;
  /** The maximum cost in the next sync, in credits. */
  credits: number;
}

/** Throws if the batch does not allow the decision. Changes nothing. */
export function requireBatchDecision(
  batch: Pick<QuestionBatch, 'id' | 'source'>,
  word: BatchDecisionWord,
): void {
  if (batchDecisionsFor(batch).includes(word)) return;
  throw heldForPrivacy('these contacts', { batch: batch.id });
}

/**
 * Decides a batch's open questions up to `until`. A run may later add contacts that the user has not seen, so this
 * limit excludes them. After an interruption, another call decides the questions that are still open.
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
  const credits = getMostCredits(kind, decision) * count;
  return { id, integration, decision, count, credits };
}
