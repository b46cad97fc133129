/** What waits for a person, contacts and networks in one list: why, and what may be decided. */

import { BY_OBJECTION } from '../../contacts/many-at-once/opt-outs.ts';
import { isoTime } from '../../core/clock.ts';
import { describeCount, formatCount } from '../../core/quantities.ts';
import { changedPartsText, partCountsText } from '../../identity/changed-parts-text.ts';
import type { Store } from '../../store.ts';
import {
  type BatchKind,
  LIST_CHANGED,
  parseChangedParts,
  type QuestionBatch,
} from '../statements/batches.ts';
import { type ErasureSource, ON_HOLD, toErasureSource } from '../statements/erasure-requests.ts';
import {
  type ContactQuestion,
  isForbidden,
  type NetworkQuestion,
  type Question,
} from '../statements/questions.ts';

/** What a person may say. */
export const HOLD_DECISIONS = ['approve', 'reject', 'resubmit'] as const;
export type DecisionWord = (typeof HOLD_DECISIONS)[number];

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

/** The decisions that make sense for a hold. */
export function decisionsFor(question: Question): readonly DecisionWord[] {
  // After a lost answer there is no profile that could be approved.
  if (question.about === 'contact') {
    // To approve a changed identity is to submit it again.
    const { kind } = question;
    if (isBatchKind(kind)) return isForbidden(question) ? ['reject'] : BATCH_DECISIONS;
    if (kind === 'forgotten_person') return ['approve', 'reject'];
    if (kind === 'values_of_two_people' || kind === 'donor_mass_change')
      return ['approve', 'reject'];
    return kind === 'lost_answer' ? ['reject', 'resubmit'] : HOLD_DECISIONS;
  }
  const isDecidable = question.kind === 'group_shrunk' || question.kind === 'network_deleted';
  return isDecidable ? ['approve', 'reject'] : ['reject'];
}

/** Why something is held: a sentence without its capital and its full stop, and without names. */
export function reasonText(question: CountedQuestion): string {
  if (question.about === 'network') return networkReason(question);
  if (question.kind !== 'identity_mass_change') return contactReason(question);
  return massChangeReason(question, question.batchCount);
}

/** What the name guard found; its words are in `name-guard.ts`. */
const MISMATCHES: ReadonlyMap<string | null, string> = new Map([
  ['last_name_differs', 'the profile has another last name'],
  ['first_name_unrelated', 'the profile has a first name that is no form of the contact’s'],
  ['profile_name_missing', 'the profile has no name to compare'],
]);

/** What a word of the name guard means; null for any other word. */
export function mismatchText(detail: string | null): string | null {
  return MISMATCHES.get(detail) ?? null;
}

function contactReason({ kind, detail }: ContactQuestion): string {
  if (kind === 'name_mismatch') {
    return mismatchText(detail) ?? 'the name in the profile is not that of the contact';
  }
  if (kind === 'match_unsure') {
    return `the service gives its match a probability of ${detail ?? 'less than is asked for'}`;
  }
  if (kind === 'contacts_missing') {
    const changed = detail === LIST_CHANGED ? `; ${LIST_CHANGE}` : '';
    return `it is missing from the CRM with many others, and nothing says that it was deleted: approve if it is gone, reject to wait${changed}`;
  }
  if (kind === 'mass_opt_out') {
    return `it was marked as opted out with many others${byMarks(detail === null ? [] : [detail])}: approve if the marks are right, reject if they are an error`;
  }
  if (kind === 'erasure_requested') return erasureReason(toErasureSource(detail));
  if (kind === 'profile_deceased') return 'the profile says that this person has died';
  if (kind === 'values_of_two_people') return twoPeopleReason(detail);
  if (kind === 'new_person_unknown') {
    return 'it has another name now, and the CRM still holds the values of the former name: approve if it is the same person, reject to blank these values';
  }
  if (kind === 'donor_mass_change') {
    return 'the service now gives another donor for it, and for many others that did not change';
  }
  if (kind === 'forgotten_person') {
    return 'it looks like a person who was erased: approve if it is another one, reject to block this id too';
  }
  const proof = detail === null ? '' : ` (${detail})`;
  return `the answer to its submission was lost, and its credit may be spent${proof}`;
}

/** `detail` is what the CRM said, or a word of the delivery. */
function twoPeopleReason(detail: string | null): string {
  const tail = 'approve to try again, reject to keep the former values';
  if (detail === 'not_together') {
    return `the values of another person have to be replaced at once, which this CRM's connector cannot do: ${tail}`;
  }
  const [, hidden] = detail?.split('hidden: ') ?? [];
  if (hidden !== undefined) {
    return `the CRM no longer shows fields that may hold values of another person (${hidden}): show them again, or approve if they are gone`;
  }
  return `the CRM does not accept all values of the new person at once (${detail ?? 'no reason given'}), so nothing was written: ${tail}`;
}

function isBatchKind(kind: Question['kind']): kind is BatchKind {
  return (
    kind === 'identity_mass_change' ||
    kind === 'contacts_missing' ||
    kind === 'mass_opt_out' ||
    kind === 'erasure_requested'
  );
}

/** Why one contact is to be erased; the tail of a sentence without its full stop. */
function erasureReason(source: ErasureSource): string {
  const decide = 'approve to erase it, reject to keep it';
  switch (source) {
    case 'crm_event':
      return `the CRM deleted it for privacy: ${decide}`;
    case 'should_forget':
      return `the CRM marks it to be forgotten (ShouldForget): ${decide}`;
    case 'privacy_hold':
      return 'the CRM marks it to be forgotten (ShouldForget), and a privacy hold of the CRM (HasPrivacyHold) forbids the erasure: end the hold in the CRM first, or reject to keep it';
    case 'objection':
      return `its person objects to profiling (HasOptedOutProfiling): ${decide}`;
    case 'merged':
      return `a contact that was merged into it was deleted in the CRM for privacy: ${decide}`;
  }
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

/** How contacts were marked, for the middle of a sentence; empty if the settings name no field. */
function byMarks(marks: readonly string[]): string {
  if (marks.length === 0) return '';
  const ways = marks.map((mark) =>
    mark === BY_OBJECTION ? 'by objections' : `by the field "${mark}"`,
  );
  return ` ${ways.join(' and ')}`;
}

const LIST_CHANGE =
  'the settings that make the list (filter, file or columns) have changed since it was last complete';

function networkReason({ kind, detail }: NetworkQuestion): string {
  switch (kind) {
    case 'group_shrunk':
      return `${detail ?? 'many'} members would leave the network: more than half`;
    case 'network_deleted':
      return `the service does not have the network any more; making it anew takes ${detail ?? 'some'} credits`;
    case 'group_unreadable':
      return `the group cannot be read to its end (${detail ?? 'unknown'}); no member is added or removed`;
    case 'name_taken':
      return 'another network of the service has this name';
    case 'network_refused':
      return `the service refuses the network or its members (${detail ?? 'no reason given'})`;
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

/** Why a contact of a batch is held: a sentence without its capital and its full stop. */
export function massChangeReason(
  { detail }: ContactQuestion,
  batchCount: number | undefined,
): string {
  const changed = changedPartsText(parseChangedParts(detail));
  if (batchCount === 2) return `its ${changed} changed, with that of 1 other`;
  const others = batchCount === undefined || batchCount < 2 ? 'many' : formatCount(batchCount - 1);
  return `its ${changed} changed, with those of ${others} others`;
}
