/** Describes questions and batches for all interfaces: why they wait, and which decisions are possible. */

import { isoTime } from '../../core/clock.ts';
import type { Reader } from '../../database/reader.ts';
import type { BatchKind, QuestionBatch } from '../statements/batches.ts';
import { ON_HOLD } from '../statements/erasure-requests.ts';
import { isForbidden, listOpenQuestions, type Question } from '../statements/questions.ts';
import { BATCH_DECISIONS, BATCH_KINDS, type BatchDecisionWord } from './batch-kinds.ts';
import { type Answer, type DecisionWord, KINDS, listDecisions } from './kinds.ts';

/** A question with the number of open questions in its batch. The number is omitted if it is unknown. */
export type CountedQuestion = Question & { batchCount?: number };

/** Returns the same questions, each with the number of questions that its batch has in this list. */
export function withBatchCounts(questions: readonly Question[]): CountedQuestion[] {
  const counts = new Map<string, number>();
  for (const { batch } of questions) {
    if (batch !== null) counts.set(batch, (counts.get(batch) ?? 0) + 1);
  }
  return questions.map((question) => {
    const batchCount = counts.get(question.batch ?? '');
    return batchCount === undefined ? question : { ...question, batchCount };
  });
}

/** Returns the open questions, of one integration or of all, oldest first. */
export async function listCountedQuestions(
  reader: Reader,
  integrationId?: string,
): Promise<CountedQuestion[]> {
  return withBatchCounts(await listOpenQuestions(reader, integrationId));
}

/** Returns what a question is about: a contact's ID in the CRM, or a network's name. */
export function getSubject(question: Question): string {
  return question.about === 'contact' ? question.crmId : question.name;
}

/** Returns the decisions that make sense for a question. */
export function decisionsFor(question: Question): readonly DecisionWord[] {
  if (question.about === 'contact' && isForbidden(question)) return ['reject'];
  return listDecisions(KINDS[question.kind]);
}

/** One of the decisions that make sense, with the text of its button. */
export interface Choice extends Answer {
  decision: DecisionWord;
}

/** Returns the decisions that make sense. If the contact is gone, decisions that would write a profile are left out. */
export function listChoices(question: Question, { isGone = false } = {}): Choice[] {
  const { answers } = KINDS[question.kind];
  return decisionsFor(question).flatMap((decision) => {
    const answer = isGone && decision === 'approve' ? undefined : answers[decision];
    return answer === undefined ? [] : [{ decision, ...answer }];
  });
}

/** Explains, in a whole sentence, why decisions other than those of `decisionsFor` do not make sense. */
export function refusalText(question: CountedQuestion): string {
  const why = reasonText(question);
  return KINDS[question.kind].refusal ?? `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}

/** Describes the decision about these questions and its consequences, in one or two sentences for each kind. */
export function listDecidedTexts(
  word: DecisionWord,
  questions: readonly Pick<Question, 'kind'>[],
): string[] {
  const counts = new Map<(typeof KINDS)[Question['kind']]['decided'], number>();
  for (const { kind } of questions) {
    const { decided } = KINDS[kind];
    counts.set(decided, (counts.get(decided) ?? 0) + 1);
  }
  return [...counts].map(([decided, count]) => decided(word, count));
}

/** Explains why something waits. The sentence has no names, no first capital letter and no full stop. */
export function reasonText({ kind, detail, batchCount }: CountedQuestion): string {
  return KINDS[kind].why(detail, batchCount);
}

/** A hold, in the form for programs (command line and HTTP). */
export interface QuestionView {
  id: string;
  integration: string;
  /** The contact's ID in the CRM, or null for the hold of a network. */
  contact: string | null;
  /** The network's name, or null for the hold of a contact. */
  network: string | null;
  kind: Question['kind'];
  /**
   * The batch that the hold shares with other holds of the same cause, which are decided together. Null for a single
   * hold.
   */
  batch: string | null;
  /** Why the contact or network is held, as text. */
  reason: string;
  /** Details of the reason, as a word or a number, or null if there are none. */
  detail: string | null;
  /** The possible decisions. */
  decisions: DecisionWord[];
  /** The decision, or null while the hold is open. */
  decision: Question['decision'];
  /** When the hold was opened (ISO 8601). */
  since: string;
}

/** Returns a hold in the form for programs. It contains no names, because names are not stored. */
export function describeQuestion(question: CountedQuestion): QuestionView {
  const { id, about, integrationId: integration, kind, detail, decision, openedAt } = question;
  return {
    id,
    integration,
    kind,
    detail,
    decision,
    contact: about === 'contact' ? getSubject(question) : null,
    network: about === 'network' ? getSubject(question) : null,
    batch: question.batch,
    reason: reasonText(question),
    decisions: [...decisionsFor(question)],
    since: isoTime(openedAt),
  };
}

/** A batch, in the form for programs. */
export interface BatchView {
  id: string;
  integration: string;
  kind: BatchKind;
  /** Why the contacts are held, in whole sentences. */
  reason: string;
  /** How many contacts wait for the decision. */
  count: number;
  /** How many contacts have a change in each part. A contact with two changed parts counts in both. */
  parts: QuestionBatch['parts'];
  /** The maximum number of credits for approving the batch. */
  credits: number;
  /** The answers that are possible now. */
  decisions: BatchDecisionWord[];
  since: string;
}

export function describeBatch(batch: QuestionBatch): BatchView {
  const { id, integrationId: integration, kind, count, parts, since } = batch;
  const words = BATCH_KINDS[kind];
  const reason = words.why(batch);
  const credits = words.credits(count);
  const decisions = [...batchDecisionsFor(batch)];
  return { id, integration, kind, reason, count, parts, credits, decisions, since: isoTime(since) };
}

/** Returns the decisions that make sense for a batch. */
export function batchDecisionsFor({
  source,
}: Pick<QuestionBatch, 'source'>): readonly BatchDecisionWord[] {
  return source === ON_HOLD ? ['reject'] : BATCH_DECISIONS;
}
