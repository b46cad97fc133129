/** The texts about questions and batches for all interfaces: why they wait, and the possible decisions. */

import { isoTime } from '../../core/clock.ts';
import type { Reader } from '../../database/reader.ts';
import type { BatchKind, QuestionBatch } from '../statements/batches.ts';
import { ON_HOLD } from '../statements/erasure-requests.ts';
import { isForbidden, listOpenQuestions, type Question } from '../statements/questions.ts';
import { BATCH_DECISIONS, BATCH_KINDS, type BatchDecisionWord } from './batch-kinds.ts';
import { type Answer, type DecisionWord, KINDS, listDecisions } from './kinds.ts';

/** A question, with the number of open questions in its batch. Omitted if unknown. */
export type CountedQuestion = Question & { batchCount?: number };

/** Returns the same questions, with the number of questions of their batch in this list. */
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

/** Returns the subject of a question: the ID of a contact in the CRM, or a network's name. */
export function getSubject(question: Question): string {
  return question.about === 'contact' ? question.crmId : question.name;
}

/** Returns the decisions that make sense for a question. */
export function decisionsFor(question: Question): readonly DecisionWord[] {
  if (question.about === 'contact' && isForbidden(question)) return ['reject'];
  return listDecisions(KINDS[question.kind]);
}

/** Returns one of the decisions that make sense, with the text of its button. */
export interface Choice extends Answer {
  decision: DecisionWord;
}

/**
 * Returns the decisions that make sense. If the contact is gone, decisions that would write a profile are
 * excluded.
 */
export function listChoices(question: Question, { isGone = false } = {}): Choice[] {
  const { answers } = KINDS[question.kind];
  return decisionsFor(question).flatMap((decision) => {
    const answer = isGone && decision === 'approve' ? undefined : answers[decision];
    return answer === undefined ? [] : [{ decision, ...answer }];
  });
}

/** Explains why decisions other than those of `decisionsFor` do not make sense, in a whole sentence. */
export function refusalText(question: CountedQuestion): string {
  const why = reasonText(question);
  return KINDS[question.kind].refusal ?? `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}

/** Describes the decision about these questions, and its consequences: one or two sentences for each kind. */
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

/**
 * Explains why something waits. The sentence contains no names, and has no first capital letter and no full
 * stop.
 */
export function reasonText({ kind, detail, batchCount }: CountedQuestion): string {
  return KINDS[kind].why(detail, batchCount);
}

/** A hold in the form for programs, on the command line and over HTTP. */
export interface QuestionView {
  id: string;
  integration: string;
  /** The contact's ID in the CRM, or null for the hold of a network. */
  contact: string | null;
  /** The network's name, or null for the hold of a contact. */
  network: string | null;
  kind: Question['kind'];
  /** Holds with the same cause share a batch and can be decided together, or null for a single hold. */
  batch: string | null;
  /** Why it is held, as text. */
  reason: string;
  /** Details of the reason, as a word or a number, or null if there are none. */
  detail: string | null;
  /** The possible decisions. */
  decisions: DecisionWord[];
  /** The decision, or null while it is open. */
  decision: Question['decision'];
  /** ISO 8601. */
  since: string;
}

/** Returns a hold without names, which are not stored anywhere. */
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

/** A batch in the form for programs. */
export interface BatchView {
  id: string;
  integration: string;
  kind: BatchKind;
  /** Why the contacts are held, in whole sentences. */
  reason: string;
  /** The number of contacts that are waiting for the decision. */
  count: number;
  /**
   * The number of contacts in which each part has changed. A contact in which two parts have changed counts in both.
   */
  parts: QuestionBatch['parts'];
  /** The maximum number of credits that approving the batch would cost. */
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
