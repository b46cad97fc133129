import { describeCount } from '../quantities.ts';
import type { ContactKind } from './kind.ts';

/** The `detail` of a question that was opened after a change of the settings that determine the list. */
export const LIST_CHANGED = 'list_changed';

const LIST_CHANGE =
  'the settings that determine the list (filter, file or columns) have changed since it was last complete';

/**
 * The contact went missing together with many other contacts. A user has to decide whether these contacts have left.
 */
export const contactsMissing = {
  outcome: {
    text: 'is missing from the CRM, and there is no sign that it was deleted; it is kept until it is back or a user confirms that it is gone',
    means:
      'The contact is missing. A complete read did not return the contact, or the CRM cannot find its ID, and there is no sign that it was deleted. Possible causes are an incomplete export or lost access. donor-sync does not remove the contact, keeps its values and its networks, and spends nothing on it.',
    next: 'If the contact is back at the next complete run, the decision closes automatically. Otherwise, `donor-sync holds` shows how many contacts are missing. Use `approve --batch` if they are gone, or `reject --batch` to wait for them.',
    costs: 'Nothing. Both answers are free.',
  },
  hasSpentCredit: false,
  hasProfile: false,
  isOfKnownPerson: false,
  endsWithAnswer: true,
  waitsForRun: true,
  isAnsweredInCrm: true,
  name: 'Missing from the CRM',
  why: (detail) =>
    `it is missing from the CRM with many others, and nothing shows that it was deleted: approve if it is gone, reject to wait${detail === LIST_CHANGED ? `; ${LIST_CHANGE}` : ''}`,
  answers: {
    approve: {
      label: 'It is gone',
      effect: 'It counts as removed. If it comes back, it costs no further credit.',
      event: 'confirmedGone',
      credits: 0,
    },
    reject: {
      label: 'Wait for it',
      effect: 'It is kept. If it is still missing in seven days, donor-sync asks again.',
      event: null,
      credits: 0,
    },
  },
  refusal: 'This decision is about a contact that is missing from the CRM.',
  decided(word, count) {
    const contacts = describeCount(count, 'missing contact');
    return word === 'approve'
      ? `${contacts} ${count === 1 ? 'counts' : 'count'} as removed from now on. If they come back, they cost no further credit.`
      : `${contacts} ${count === 1 ? 'is' : 'are'} kept. If they are still missing in seven days, donor-sync asks again.`;
  },
  batch: {
    means: 'they are missing from the CRM',
    hint: 'Approve it if the contacts are gone, and reject it to wait for them. Both are free.',
    inShort: () => 'missing from the CRM',
    why({ isListChanged }) {
      const changed = isListChanged
        ? ` ${LIST_CHANGE.charAt(0).toUpperCase()}${LIST_CHANGE.slice(1)}.`
        : ' This can also happen after an incomplete export, with a filter that was left on, or after lost access.';
      return `They are missing from the CRM, and nothing shows that they were deleted.${changed} Until you decide, none of them is removed.`;
    },
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
} satisfies ContactKind;
