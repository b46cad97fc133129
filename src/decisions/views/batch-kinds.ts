/** A batch's contacts wait for the same reason and are decided together. */
import { BY_OBJECTION } from '../../contacts/many-at-once/opt-outs.ts';
import type { PaidBefore } from '../../contacts/many-at-once/paid-since-backup.ts';
import { describeCount } from '../../core/quantities.ts';
import { partCountsText } from '../../identity/changed-parts-text.ts';
import type { BatchKind, QuestionBatch } from '../statements/batches.ts';
import type { ErasureSource } from '../statements/erasure-requests.ts';

/** The decisions that a user can make about a batch. */
export const BATCH_DECISIONS = ['approve', 'reject'] as const;
export type BatchDecisionWord = (typeof BATCH_DECISIONS)[number];

/** An answer to a question about many contacts. */
export interface BatchAnswer {
  label: string;
  title: string;
  confirm: string;
  effect: string;
  /** When this answer is right. */
  hint: string;
}

/** The alert about a waiting batch. */
export interface BatchAlert {
  /** A word that identifies the alert and never changes. It does not contain the batch's ID. */
  subject: string;
  /** The start of a sentence whose end is added elsewhere. */
  problem: string;
  steps: readonly string[];
}

type Described = Pick<
  QuestionBatch,
  'count' | 'parts' | 'isListChanged' | 'paidBefore' | 'marks' | 'source'
>;

interface BatchWords {
  /** Returns a few words for a table column. */
  inShort(parts: QuestionBatch['parts']): string;
  /** Whole sentences about why the contacts wait. */
  why(batch: Described): string;
  /** The answers with the texts of buttons and dialogs. */
  answers(count: number): Readonly<Record<BatchDecisionWord, BatchAnswer>>;
  /** What the decision does in the next sync, in whole sentences. */
  decided(word: string, count: number): string;
  alert(batch: Described): BatchAlert;
  credits(count: number): number;
}

const PAID_BEFORE_TEXTS: Readonly<Record<PaidBefore, (contacts: string) => string>> = {
  former_key: (contacts) =>
    `The service key was replaced while jobs were running. The present key cannot see the jobs of ${contacts}, which were paid for with the former key. If the former key is used again within six days, the next sync delivers their profiles without a credit.`,
  result_gone: (contacts) =>
    `The profiles of ${contacts} were paid for, but could not be written while the service still had them. No copy is kept, because of retention.profiles in the settings.`,
};

export const BATCH_KINDS: Readonly<Record<BatchKind, BatchWords>> = {
  identity_mass_change: {
    inShort: (parts) => `changed: ${partCountsText(parts)}`,
    why: ({ parts, count }) =>
      `Their details changed at about the same time: ${partCountsText(parts)}. Submitting them to the service again would cost ${describeCount(count, 'credit')}.`,
    // One credit per contact, or less if two contacts are the same person.
    credits: (count) => count,
    answers(count) {
      const contacts = describeCount(count, 'contact');
      const price = describeCount(count, 'credit');
      return {
        approve: {
          label: `Approve all (${price})`,
          title: `Spend ${price}?`,
          confirm: `Approve all ${contacts}`,
          effect: `The next sync submits ${contacts} again and spends at most ${price}.`,
          hint: 'They are worth submitting again: the next sync submits them to the service, for one credit each.',
        },
        reject: {
          label: 'Reject all (no credit)',
          title: `Accept the new details of ${contacts}?`,
          confirm: `Reject all ${contacts}`,
          effect: 'The new details count as known from now on. A later change is checked again.',
          hint: 'They are still the same people: the new details are accepted, and nothing is spent.',
        },
      };
    },
    decided(word, count) {
      const contacts = `The changed details of ${describeCount(count, 'contact')} are`;
      return word === 'approve'
        ? `${contacts} to be submitted. The next sync spends ${describeCount(count, 'credit')} on that.`
        : `${contacts} accepted as details of the same people. Nothing is spent on that.`;
    },
    alert: ({ count, parts }) => ({
      subject: 'held_batch',
      problem: `the details of ${describeCount(count, 'contact')} changed at once (${partCountsText(parts)}); submitting them again costs ${describeCount(count, 'credit')}`,
      steps: ['Nothing is spent on them before a user decides: donor-sync holds --show'],
    }),
  },
  paid_since_backup: {
    inShort: () => 'perhaps paid for',
    why: ({ count, paidBefore }) =>
      paidBefore !== null
        ? PAID_BEFORE_TEXTS[paidBefore](describeCount(count, 'contact'))
        : `The database was restored from a backup. Since the backup, these contacts were added or changed, or the service has lost their jobs. Some or all of them (${count}) may have been paid for, and nothing outside the database shows which. A balance that is not lower than before proves nothing, because credits may have been added, and other tools may spend credits with the same key.`,
    credits: (count) => count,
    answers(count) {
      const contacts = describeCount(count, 'contact');
      const price = describeCount(count, 'credit');
      return {
        approve: {
          label: `Buy them (${price})`,
          title: `Spend ${price}?`,
          confirm: `Buy the profiles of ${contacts}`,
          effect: `The next sync submits ${contacts} and spends at most ${price}. Profiles that were bought before are paid for a second time.`,
          hint: 'They were not paid for, or the profiles are worth the price.',
        },
        reject: {
          label: 'They are paid for (no credit)',
          title: `Count ${contacts} as paid for?`,
          confirm: `Count ${contacts} as paid for`,
          effect:
            'Nothing is spent on them until they change or their profiles would have become too old. Values in the CRM are kept.',
          hint: 'Their values are already in the CRM, or they can wait until their next refresh.',
        },
      };
    },
    decided(word, count) {
      const contacts = describeCount(count, 'contact');
      return word === 'approve'
        ? `The profiles of ${contacts} are to be bought. The next sync spends at most ${describeCount(count, 'credit')} on that.`
        : `${contacts} ${count === 1 ? 'counts' : 'count'} as paid for. Nothing is spent on them until they change or their profiles would have become too old.`;
    },
    alert: ({ count, paidBefore }) => ({
      subject: 'held_restored',
      problem:
        paidBefore !== null
          ? `${describeCount(count, 'contact')} ${count === 1 ? 'was' : 'were'} paid for, and the profiles cannot be read any more`
          : `the database was restored from a backup, and ${describeCount(count, 'contact')} ${count === 1 ? 'is' : 'are'} new or changed since then: they may already be paid for`,
      steps: ['Nothing is spent on them before a user decides: donor-sync holds'],
    }),
  },
  contacts_missing: {
    inShort: () => 'missing from the CRM',
    why({ isListChanged }) {
      const changed = isListChanged
        ? ` ${LIST_CHANGE.charAt(0).toUpperCase()}${LIST_CHANGE.slice(1)}.`
        : ' This can also happen after an incomplete export, with a filter that was left on, or after lost access.';
      return `They are missing from the CRM, and nothing shows that they were deleted.${changed} Until you decide, none of them is removed.`;
    },
    credits: () => 0,
    answers(count) {
      const contacts = describeCount(count, 'contact');
      return {
        approve: {
          label: 'They are gone',
          title: `Remove ${contacts}?`,
          confirm: `Remove ${contacts}`,
          effect:
            'They count as removed. For a file, the next sync removes their rows from the output, including the paid values. Network membership follows the groups again.',
          hint: 'They were deleted, or no longer belong to this client.',
        },
        reject: {
          label: 'Wait for them',
          title: `Keep ${contacts}?`,
          confirm: `Keep ${contacts}`,
          effect:
            'Nothing is removed. If they are still missing in seven days, donor-sync asks again.',
          hint: 'The export was incomplete, or access to them will be restored.',
        },
      };
    },
    decided(word, count) {
      const contacts = describeCount(count, 'missing contact');
      return word === 'approve'
        ? `${contacts} ${count === 1 ? 'counts' : 'count'} as removed from now on. If they come back, they cost no further credit.`
        : `${contacts} ${count === 1 ? 'is' : 'are'} kept. If they are still missing in seven days, donor-sync asks again.`;
    },
    alert({ count, isListChanged }) {
      const changed = isListChanged
        ? '; the settings that determine the list have changed since it was last complete'
        : '';
      return {
        subject: 'held_missing',
        problem: `${describeCount(count, 'contact')} ${count === 1 ? 'is' : 'are'} missing from the CRM, and nothing shows that they were deleted${changed}`,
        steps: [
          'Check that the export is complete and that donor-sync can still see all contacts',
          'None of these contacts is removed before a user decides: donor-sync holds',
        ],
      };
    },
  },
  mass_opt_out: {
    inShort: () => 'opted out at once',
    why: ({ marks }) =>
      `They were marked as opted out at about the same time${byMarks(marks)}. This can also happen with a wrong opt-out field, or after an import that ticks everyone. Nothing is delivered to these contacts, and nothing about them is shown. Until you decide, none of their profiles is deleted.`,
    credits: () => 0,
    answers(count) {
      const contacts = describeCount(count, 'contact');
      return {
        approve: {
          label: 'The marks are correct',
          title: `Delete the profiles of ${contacts}?`,
          confirm: `Delete the profiles of ${contacts}`,
          effect:
            'Paid profiles are deleted 30 days after donor-sync first detected the marks. After objections, the next sync deletes them. If the contacts opt in again later, the next refresh buys new profiles.',
          hint: 'These contacts have asked not to be researched.',
        },
        reject: {
          label: 'The marks are an error',
          title: `Keep the profiles of ${contacts}?`,
          confirm: `Keep the profiles of ${contacts}`,
          effect:
            'Nothing is deleted. Until the marks are corrected in the CRM or in the settings, nothing is delivered either.',
          hint: 'The opt-out field is wrong, or an import has ticked everyone.',
        },
      };
    },
    decided(word, count) {
      const marks = `The opt-out marks of ${describeCount(count, 'contact')} count as`;
      return word === 'approve'
        ? `${marks} correct. Their profiles are deleted 30 days after donor-sync first detected the marks. After objections, the next sync deletes them.`
        : `${marks} an error. Their profiles are kept, and delivered once the marks are removed.`;
    },
    alert({ count, marks }) {
      const fields = marks.filter((mark) => mark !== BY_OBJECTION).map((mark) => `"${mark}"`);
      const by = fields.length === 0 ? '' : ` by ${fields.join(', ')}`;
      return {
        subject: 'held_opt_outs',
        problem: `${describeCount(count, 'contact')} with a paid profile ${count === 1 ? 'was' : 'were'} marked as opted out at once${by}`,
        steps: [
          'Check that contacts.optOutField names the correct field and that the marks are correct',
          'Nothing is delivered to them. Their profiles are deleted only after a user confirms the marks: donor-sync holds',
        ],
      };
    },
  },
  erasure_requested: {
    inShort: () => 'the CRM asks for erasure',
    why: ({ source, count }) => erasureReason(source ?? 'crm_event', count),
    credits: () => 0,
    answers(count) {
      const contacts = describeCount(count, 'contact');
      return {
        approve: {
          label: 'Erase them',
          title: `Erase ${contacts}?`,
          confirm: `Erase ${contacts}`,
          effect:
            'All data about them is permanently erased: in the database, at the service, and in the CRM fields that donor-sync wrote and that have not changed since. The audit records each erasure.',
          hint: 'These people asked to be erased.',
        },
        reject: {
          label: 'Keep them',
          title: `Keep ${contacts}?`,
          confirm: `Keep ${contacts}`,
          effect:
            'Nothing is erased. The contacts are not researched as long as the CRM marks them.',
          hint: 'The marks are an error, or the data must be kept.',
        },
      };
    },
    decided(word, count) {
      const contacts = describeCount(count, 'contact');
      const are = count === 1 ? 'is' : 'are';
      return word === 'approve'
        ? `${contacts} ${are} to be erased. donor-sync starts at once if it runs as a service. Otherwise the next sync erases them. The audit records each erasure.`
        : `${contacts} ${are} kept. donor-sync does not ask again unless the CRM withdraws its request and repeats it later.`;
    },
    alert({ count, source }) {
      const isForbidden = source === 'privacy_hold';
      const contacts = describeCount(count, 'contact');
      return {
        subject: 'held_erasures',
        problem: isForbidden
          ? `a privacy hold in the CRM forbids the erasure of ${contacts}`
          : `the CRM asks to erase ${contacts}`,
        steps: [
          'Nothing is delivered to contacts that the CRM marks to be forgotten',
          isForbidden
            ? 'End the privacy hold in the CRM. Then donor-sync asks again: donor-sync holds'
            : 'None of these contacts is erased before a user decides: donor-sync holds',
        ],
      };
    },
  },
};

/** Whole sentences about why the contacts are to be erased. */
function erasureReason(source: ErasureSource, count: number): string {
  const question = `Erase these ${describeCount(count, 'contact')}?`;
  switch (source) {
    case 'crm_event':
      return `${question} The CRM deleted them for privacy. At most 25 such contacts are erased automatically each day, and these exceed that limit.`;
    case 'should_forget':
      return `${question} The CRM marks them to be forgotten (ShouldForget). They are not researched, and nothing is delivered to them. This can also happen after a wrong bulk update. Until you decide, none of them is erased.`;
    case 'privacy_hold':
      return `A privacy hold in the CRM (HasPrivacyHold) forbids the erasure of ${describeCount(count, 'contact')} that the CRM marks to be forgotten (ShouldForget). They are not researched, and nothing is delivered to them. Once the hold ends in the CRM, donor-sync asks whether to erase them.`;
    case 'objection':
      return `${question} Their people object to profiling (HasOptedOutProfiling). They are no longer researched, and their profiles are deleted, but the CRM still has the values that donor-sync wrote.`;
    case 'merged':
      return `${question} Contacts that were merged into them were deleted in the CRM for privacy. Until you decide, none of these contacts is erased.`;
  }
}

/** The middle of a sentence about the contacts' marks. Empty if the settings name no field. */
export function byMarks(marks: readonly string[]): string {
  if (marks.length === 0) return '';
  const ways = marks.map((mark) =>
    mark === BY_OBJECTION ? 'by objections' : `by the field "${mark}"`,
  );
  return ` ${ways.join(' and ')}`;
}

export const LIST_CHANGE =
  'the settings that determine the list (filter, file or columns) have changed since it was last complete';
