import { describeCount } from '../quantities.ts';
import { ERASURE_SOURCES, type ErasureSource } from './batch-facts.ts';
import type { ContactKind } from './kind.ts';

/** The `detail` of an erasure request that donor-sync must not carry out for now. */
export const ON_HOLD = 'privacy_hold' satisfies ErasureSource;

export const erasureRequested = {
  outcome: null,
  hasSpentCredit: false,
  hasProfile: false,
  isOfKnownPerson: false,
  endsWithAnswer: false,
  waitsForRun: true,
  isAnsweredInCrm: false,
  name: 'CRM requests erasure',
  why: (detail) => erasureReason(toErasureSource(detail)),
  answers: {
    approve: {
      label: 'Erase it',
      effect: 'All data about it is erased, both here and in the fields that donor-sync wrote.',
      event: null,
      credits: 0,
    },
    reject: {
      label: 'Keep it',
      effect: 'Nothing is erased. It is not researched as long as the CRM marks it.',
      event: null,
      credits: 0,
    },
  },
  decided(word, count) {
    const contacts = describeCount(count, 'contact');
    const are = count === 1 ? 'is' : 'are';
    return word === 'approve'
      ? `${contacts} ${are} to be erased. donor-sync starts at once if it runs as a service. Otherwise the next sync erases them. The audit records each erasure.`
      : `${contacts} ${are} kept. donor-sync does not ask again unless the CRM withdraws its request and repeats it later.`;
  },
  batch: {
    means: 'the CRM requests their erasure',
    hint: 'Approve it to erase the contacts for good, and reject it to keep them. Both are free.',
    inShort: () => 'the CRM asks for erasure',
    why: ({ source, count }) => batchReason(source ?? 'crm_event', count),
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
} satisfies ContactKind;

/** Parses the reason of an erasure request from the question's `detail`. */
export function toErasureSource(detail: string | null): ErasureSource {
  return ERASURE_SOURCES.find((source) => source === detail) ?? 'merged';
}

/** Explains why one contact is to be erased. Returns the end of a sentence without a full stop. */
function erasureReason(source: ErasureSource): string {
  const decide = 'approve to erase it, reject to keep it';
  switch (source) {
    case 'crm_event':
      return `the CRM deleted it for privacy: ${decide}`;
    case 'should_forget':
      return `the CRM marks it to be forgotten (ShouldForget): ${decide}`;
    case 'privacy_hold':
      return 'the CRM marks it to be forgotten (ShouldForget), and a privacy hold in the CRM (HasPrivacyHold) forbids the erasure. End the hold in the CRM first, or reject to keep it';
    case 'objection':
      return `the person objects to profiling (HasOptedOutProfiling): ${decide}`;
    case 'merged':
      return `a contact that was merged into it was deleted in the CRM for privacy: ${decide}`;
  }
}

/** Explains in whole sentences why a batch's contacts are to be erased. */
function batchReason(source: ErasureSource, count: number): string {
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
