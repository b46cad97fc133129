/** Questions and batches in the words of all interfaces: why they wait, and what may be decided. */

import { isoTime } from '../../core/clock.ts';
import type { Reader } from '../../database/reader.ts';
import type { BatchKind, QuestionBatch } from '../statements/batches.ts';
import { ON_HOLD } from '../statements/erasure-requests.ts';
import { isForbidden, listOpenQuestions, type Question } from '../statements/questions.ts';
import { BATCH_DECISIONS, BATCH_KINDS, type BatchDecisionWord } from './batch-kinds.ts';
import { type Answer, type DecisionWord, KINDS, listDecisions } from './kinds.ts';

/** A question, and how many of its batch are open; left out if that is not known. */
export type CountedQuestion = Question & { batchCount?: number };

/** The same questions, which know how many of their batch are among them. */
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

/** The open questions, of one integration or of all, the oldest first. */
export async function listCountedQuestions(
  reader: Reader,
  integrationId?: string,
): Promise<CountedQuestion[]> {
  return withBatchCounts(await listOpenQuestions(reader, integrationId));
}

/** What a question is about: the id of a contact in the CRM, or the name of a network. */
export function getSubject(question: Question): string {
  return question.about === 'contact' ? question.crmId : question.name;
}

/** The decisions that make sense for a question. */
export function decisionsFor(question: Question): readonly DecisionWord[] {
  if (question.about === 'contact' && isForbidden(question)) return ['reject'];
  return listDecisions(KINDS[question.kind]);
}

/** One of the decisions that make sense, in the words of a button. */
export interface Choice extends Answer {
  decision: DecisionWord;
}

/** The decisions that make sense; none that would write a profile where the contact is gone. */
export function listChoices(question: Question, { isGone = false } = {}): Choice[] {
  const { answers } = KINDS[question.kind];
  return decisionsFor(question).flatMap((decision) => {
    const answer = isGone && decision === 'approve' ? undefined : answers[decision];
    return answer === undefined ? [] : [{ decision, ...answer }];
  });
}

/** Why other decisions than those of `decisionsFor` make no sense; a whole sentence. */
export function refusalText(question: CountedQuestion): string {
  const why = reasonText(question);
  return KINDS[question.kind].refusal ?? `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}

/** What was decided about these questions, and what follows: a sentence or two for each sort that is among them. */
export function listDecidedTexts(word: DecisionWord, questions: readonly Question[]): string[] {
  const counts = new Map<(typeof KINDS)[Question['kind']]['decided'], number>();
  for (const { kind } of questions) {
    const { decided } = KINDS[kind];
    counts.set(decided, (counts.get(decided) ?? 0) + 1);
  }
  return [...counts].map(([decided, count]) => decided(word, count));
}

/** Why something waits: a sentence without its capital and its full stop, and without names. */
export function reasonText({ kind, detail, batchCount }: CountedQuestion): string {
  return KINDS[kind].why(detail, batchCount);
}

/** A hold as programs are shown it, on the command line and over HTTP. */
export interface QuestionView {
  id: string;
  integration: string;
  /** The contact's id in the CRM; null for the hold of a network. */
  contact: string | null;
  /** The name of the network; null for the hold of a contact. */
  network: string | null;
  kind: Question['kind'];
  /** Holds of one cause share it and can be decided together; null for one that stands alone. */
  batch: string | null;
  /** Why it is held, in words. */
  reason: string;
  /** More of the reason as a word or a number; null if there is no more. */
  detail: string | null;
  /** What may be decided. */
  decisions: DecisionWord[];
  /** What was decided; null while it is open. */
  decision: Question['decision'];
  /** ISO 8601. */
  since: string;
}

/** A hold without names: those are kept nowhere. */
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

/** A batch as programs are shown it. */
export interface BatchView {
  id: string;
  integration: string;
  kind: BatchKind;
  /** Why they are held, in whole sentences. */
  reason: string;
  /** Contacts that wait for the decision. */
  count: number;
  /** How many of them changed in each part; one that changed in two counts in both. */
  parts: QuestionBatch['parts'];
  /** What it would cost at most to approve it. */
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

/** The decisions that make sense for a batch. */
export function batchDecisionsFor({
  source,
}: Pick<QuestionBatch, 'source'>): readonly BatchDecisionWord[] {
  return source === ON_HOLD ? ['reject'] : BATCH_DECISIONS;
}
