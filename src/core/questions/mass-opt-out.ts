import { describeCount } from '../quantities.ts';
import type { ContactKind } from './kind.ts';

/** The word in a hold's `detail` that means an objection instead of an opt-out field. */
export const BY_OBJECTION = 'objection';

/** Many contacts were marked as opted out together. A user must decide whether the marks are correct. */
export const massOptOut = {
  outcome: null,
  hasSpentCredit: false,
  hasProfile: false,
  isOfKnownPerson: false,
  endsWithAnswer: false,
  waitsForRun: true,
  isAnsweredInCrm: true,
  name: 'Many opted out',
  why: (detail) =>
    `it was marked as opted out with many others${byMarks(detail === null ? [] : [detail])}: approve if the marks are correct, reject if they are an error`,
  answers: {
    approve: {
      label: 'The mark is correct',
      effect: 'Its profile is deleted 30 days after donor-sync first detected the mark.',
      event: null,
      credits: 0,
    },
    reject: {
      label: 'The mark is an error',
      effect: 'Its profile is kept, and delivered once the mark is gone.',
      event: null,
      credits: 0,
    },
  },
  refusal: 'This decision is about an opt-out mark.',
  decided(word, count) {
    const marks = `The opt-out marks of ${describeCount(count, 'contact')} count as`;
    return word === 'approve'
      ? `${marks} correct. Their profiles are deleted 30 days after donor-sync first detected the marks. After objections, the next sync deletes them.`
      : `${marks} an error. Their profiles are kept, and delivered once the marks are removed.`;
  },
  batch: {
    means: 'they were marked as opted out',
    hint: 'Approve it if the marks are correct, and reject it if they are a mistake. Both are free.',
    inShort: () => 'opted out at once',
    why: ({ marks }) =>
      `They were marked as opted out at about the same time${byMarks(marks)}. This can also happen with a wrong opt-out field, or after an import that ticks everyone. Nothing is delivered to these contacts, and nothing about them is shown. Until you decide, none of their profiles is deleted.`,
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
} satisfies ContactKind;

/** Returns the middle of a sentence about the contacts' marks. Empty if the settings name no opt-out field. */
function byMarks(marks: readonly string[]): string {
  if (marks.length === 0) return '';
  const ways = marks.map((mark) =>
    mark === BY_OBJECTION ? 'by objections' : `by the field "${mark}"`,
  );
  return ` ${ways.join(' and ')}`;
}
