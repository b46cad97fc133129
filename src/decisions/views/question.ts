import { isoTime } from '../../core/clock.ts';
import {
  BATCH_DECISIONS,
  type BatchDecisionWord,
  DECIDED,
  type DecisionWord,
} from '../../core/questions/decisions.ts';
import { ON_HOLD } from '../../core/questions/erasure-requested.ts';
import type { Answer } from '../../core/questions/kind.ts';
import {
  type BatchKind,
  getBatchWords,
  getMostCredits,
  KINDS,
  listDecisions,
} from '../../core/questions/question-kinds.ts';
import type { Reader } from '../../database/reader.ts';
import type { QuestionBatch } from '../statements/batches.ts';
import { isForbidden, listOpenQuestions, type Question } from '../statements/questions.ts';

/** A question, with the number of contacts in its batch. The number is omitted if it is unknown. */
export type CountedQuestion = Question & { batchCount?: number };

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

/** Lists the open questions with the size of their batches, oldest first. */
export async function listCountedQuestions(
  reader: Reader,
  integrationId?: string,
): Promise<CountedQuestion[]> {
  return withBatchCounts(await listOpenQuestions(reader, integrationId));
}

export function getSubject(question: Question): string {
  return question.about === 'contact' ? question.crmId : question.name;
}

/** Returns the decisions that make sense for a question. */
export function decisionsFor(question: Question): readonly DecisionWord[] {
  if (question.about === 'contact' && isForbidden(question)) return ['reject'];
  return listDecisions(question.kind);
}

export interface Choice extends Answer {
  decision: DecisionWord;
}

/**
 * Returns the decisions that a user can make about a question. A contact that has left the CRM cannot receive a
 * profile.
 */
export function listChoices(question: Question, { isGone = false } = {}): Choice[] {
  const answers: Partial<Record<DecisionWord, Answer>> = KINDS[question.kind].answers;
  return decisionsFor(question).flatMap((decision) => {
    const answer = isGone && decision === 'approve' ? undefined : answers[decision];
    return answer === undefined ? [] : [{ decision, label: answer.label, effect: answer.effect }];
  });
}

/** Explains in a whole sentence why no other decision about the question is possible. */
export function refusalText(question: CountedQuestion): string {
  const why = reasonText(question);
  return KINDS[question.kind].refusal ?? `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}

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

/** Explains why a contact or network waits. The text contains no names, starts in lower case and has no full stop. */
export function reasonText({ kind, detail, batchCount }: CountedQuestion): string {
  return KINDS[kind].why(detail, batchCount);
}

/** A question for programs. */
export interface QuestionView {
  id: string;
  integration: string;
  contact: string | null;
  network: string | null;
  kind: Question['kind'];
  /** The batch of questions that have the same cause and that a user answers together. Null for a single hold. */
  batch: string | null;
  /** A sentence. */
  reason: string;
  /** A word or a number. */
  detail: string | null;
  /** The decisions that a user can make about the question. */
  decisions: DecisionWord[];
  /** The user's decision. Null while the question is open. */
  decision: Question['decision'];
  /** When the question was opened (ISO 8601). */
  since: string;
}

/** Returns a hold in the JSON format. The database does not contain names, so the JSON contains none. */
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

/** A batch in the JSON format. */
export interface BatchView {
  id: string;
  integration: string;
  kind: BatchKind;
  reason: string;
  /** The number of contacts that wait for the decision. */
  count: number;
  /** The number of contacts per changed part. A contact with two changed parts counts for both. */
  parts: QuestionBatch['parts'];
  /** The maximum number of credits that approving the batch costs. */
  credits: number;
  decisions: BatchDecisionWord[];
  since: string;
}

export function describeBatch(batch: QuestionBatch): BatchView {
  const { id, integrationId: integration, kind, count, parts, since } = batch;
  const reason = getBatchWords(kind).why(batch);
  const credits = getMostCredits(kind, DECIDED.approve) * count;
  const decisions = [...batchDecisionsFor(batch)];
  return { id, integration, kind, reason, count, parts, credits, decisions, since: isoTime(since) };
}

/** Returns the decisions that a user can make about a batch. */
export function batchDecisionsFor({
  source,
}: Pick<QuestionBatch, 'source'>): readonly BatchDecisionWord[] {
  return source === ON_HOLD ? ['reject'] : BATCH_DECISIONS;
}
