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
  /** Excludes contacts with an earlier decision. Contacts for which a decision was made earlier are not included. */
  count: number;
  /** The maximum cost in the next sync, in credits. */
  credits: number;
}

/** Only checks. */
export function requireBatchDecision(
  batch: Pick<QuestionBatch, 'id' | 'source'>,
  word: BatchDecisionWord,
): void {
  if (batchDecisionsFor(batch).includes(word)) return;
  throw heldForPrivacy('these contacts', { batch: batch.id });
}

/**
 * Decides a batch's open questions up to `until`. A run may add contacts later that the user has not seen. After an
 * interruption, another call continues.
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
