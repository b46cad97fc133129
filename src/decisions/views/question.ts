/** Questions and batches in the words of all interfaces: why they wait, and what may be decided. */

import { isoTime } from '../../core/clock.ts';
import { describeCount } from '../../core/quantities.ts';
import { partCountsText } from '../../identity/changed-parts-text.ts';
import type { Store } from '../../store.ts';
import type { BatchKind, QuestionBatch } from '../statements/batches.ts';
import { type ErasureSource, ON_HOLD } from '../statements/erasure-requests.ts';
import { isForbidden, type Question } from '../statements/questions.ts';
import { byMarks, type DecisionWord, KINDS, LIST_CHANGE } from './kinds.ts';

/** The part of the store that has the questions. */
export interface QuestionStore {
  questions: Pick<Store['questions'], 'find'>;
}

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
export async function listOpenQuestions(
  { questions }: { questions: Pick<Store['questions'], 'listOpen'> },
  integrationId?: string,
): Promise<CountedQuestion[]> {
  return withBatchCounts(await questions.listOpen(integrationId));
}

/** What a question is about: the id of a contact in the CRM, or the name of a network. */
export function getSubject(question: Question): string {
  return question.about === 'contact' ? question.crmId : question.name;
}

/** The decisions that make sense for a question. */
export function decisionsFor(question: Question): readonly DecisionWord[] {
  if (question.about === 'contact' && isForbidden(question)) return ['reject'];
  return KINDS[question.kind].decisions;
}

/** Why something waits: a sentence without its capital and its full stop, and without names. */
export function reasonText({ kind, detail, batchCount }: CountedQuestion): string {
  return KINDS[kind].why(detail, batchCount);
}

/** Why the contacts of a batch are to be erased, in whole sentences. */
function erasureBatchReason(source: ErasureSource, count: number): string {
  const question = `Erase these ${describeCount(count, 'contact')}?`;
  switch (source) {
    case 'crm_event':
      return `${question} The CRM deleted them for privacy. At most 25 such contacts are erased automatically each day; these are over that limit.`;
    case 'should_forget':
      return `${question} The CRM marks them to be forgotten (ShouldForget). They are not researched, and nothing is delivered to them. A wrong bulk update looks like this. Until you decide, none of them is erased.`;
    case 'privacy_hold':
      return `A privacy hold of the CRM (HasPrivacyHold) forbids the erasure of ${describeCount(count, 'contact')} that the CRM marks to be forgotten (ShouldForget). They are not researched, and nothing is delivered to them. Once the hold ends in the CRM, donor-sync asks whether to erase them.`;
    case 'objection':
      return `${question} Their people object to profiling (HasOptedOutProfiling). They are not researched any more, and their profiles are deleted, but the CRM still holds the values that donor-sync wrote.`;
    case 'merged':
      return `${question} Contacts that were merged into them were deleted in the CRM for privacy. Until you decide, none of them is erased.`;
  }
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

/**
 * Contacts that are decided together, as one decision. Of changed details: to approve is to ask the service
 * again, for a credit each; to reject is to say that they are the same people still, for none. Of missing contacts:
 * to approve is to say that they are gone; to reject is to wait for them. Of opt-out marks: to approve is to say that they are right,
 * so that profiles are deleted; to reject is to say that they are an error. Of erasures that the CRM asks for: to approve is to erase; to reject is to keep. Only a changed detail costs a credit.
 */

/** What a person may say about a batch. */
export const BATCH_DECISIONS = ['approve', 'reject'] as const;
export type BatchDecisionWord = (typeof BATCH_DECISIONS)[number];

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
  const reason = batchReason(batch);
  const credits = getBatchCredits(batch);
  const decisions = [...batchDecisionsFor(batch)];
  return { id, integration, kind, reason, count, parts, credits, decisions, since: isoTime(since) };
}

/** Why the contacts of a batch are held, in whole sentences. */
export function batchReason(
  batch: Pick<QuestionBatch, 'kind' | 'count' | 'parts' | 'isListChanged' | 'marks' | 'source'>,
): string {
  if (batch.source !== null) return erasureBatchReason(batch.source, batch.count);
  if (batch.kind === 'mass_opt_out') {
    return `They were marked as opted out at about the same time${byMarks(batch.marks)}. A wrong opt-out field and an import that ticks everyone look like this. Nothing is delivered to them or shown of them. Until you decide, none of their profiles is deleted.`;
  }
  if (batch.kind === 'contacts_missing') {
    const changed = batch.isListChanged
      ? ` ${LIST_CHANGE.charAt(0).toUpperCase()}${LIST_CHANGE.slice(1)}.`
      : ' An incomplete export, a filter left on and lost access look like this.';
    return `They are missing from the CRM, and nothing says that they were deleted.${changed} Until you decide, none of them is removed.`;
  }
  const credits = describeCount(getBatchCredits(batch), 'credit');
  return `Their details changed at about the same time: ${partCountsText(batch.parts)}. To ask the service again would take ${credits}.`;
}

/** A credit for each contact whose details changed, or less where two of them are the same person. */
export function getBatchCredits({ kind, count }: Pick<QuestionBatch, 'kind' | 'count'>): number {
  return kind === 'identity_mass_change' ? count : 0;
}

/** What the next sync does with contacts about which this was decided; a whole sentence. */
export function decidedText(word: BatchDecisionWord, kind: BatchKind, count: number): string {
  if (kind === 'contacts_missing') return missingDecidedText(word, count);
  if (kind === 'mass_opt_out') return optOutDecidedText(word, count);
  if (kind === 'erasure_requested') return erasureDecidedText(word, count);
  const contacts = `The changed details of ${describeCount(count, 'contact')} are`;
  return word === 'approve'
    ? `${contacts} to be asked about. The next sync spends ${describeCount(getBatchCredits({ kind, count }), 'credit')} on that.`
    : `${contacts} taken over as those of the same people. Nothing is spent on that.`;
}

function missingDecidedText(word: BatchDecisionWord, count: number): string {
  const contacts = describeCount(count, 'missing contact');
  return word === 'approve'
    ? `${contacts} ${count === 1 ? 'counts' : 'count'} as removed from now on. If they come back, they cost no further credit.`
    : `${contacts} ${count === 1 ? 'is' : 'are'} kept. If they are still missing in seven days, donor-sync asks again.`;
}

function optOutDecidedText(word: BatchDecisionWord, count: number): string {
  const marks = `The opt-out marks of ${describeCount(count, 'contact')} count as`;
  return word === 'approve'
    ? `${marks} right. Their profiles are deleted 30 days after the marks were set; after objections, by the next sync.`
    : `${marks} an error. Their profiles are kept, and delivered once the marks are gone.`;
}

function erasureDecidedText(word: BatchDecisionWord, count: number): string {
  const contacts = describeCount(count, 'contact');
  const are = count === 1 ? 'is' : 'are';
  return word === 'approve'
    ? `${contacts} ${are} to be erased. donor-sync starts at once while it runs as a service; otherwise the next sync does it. The audit records each erasure.`
    : `${contacts} ${are} kept. donor-sync does not ask again unless the CRM withdraws its request and makes it once more.`;
}

/** The decisions that make sense for a batch. */
export function batchDecisionsFor({
  source,
}: Pick<QuestionBatch, 'source'>): readonly BatchDecisionWord[] {
  return source === ON_HOLD ? ['reject'] : BATCH_DECISIONS;
}
