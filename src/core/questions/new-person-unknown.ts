import { ASK_AGAIN, type ContactKind, describeDecided } from './kind.ts';

/** No paid profile matches the contact's new name, and the CRM still contains the values for the former name. */
export const newPersonUnknown = {
  outcome: {
    text: 'has another name now, and the CRM still has the values of the former name; a user decides',
    means:
      'The contact now has a different name, and no paid profile matches this name. Either the service does not know the new name, or the CRM changed the name in a merge. The CRM still contains the values for the former name.',
    next: 'Use `donor-sync holds approve` if it is the same person with a new name. donor-sync then keeps the values. Use `reject` if it is a different person. The next sync then blanks the values that donor-sync wrote. `resubmit` sends the contact again.',
    costs: 'Nothing for `approve` and `reject`. `resubmit` costs one credit.',
  },
  hasSpentCredit: true,
  hasProfile: false,
  isOfKnownPerson: false,
  endsWithAnswer: false,
  waitsForRun: false,
  isAnsweredInCrm: true,
  name: 'Holds values of a former name',
  why: () =>
    'it has another name now, and the CRM still contains the values for the former name: approve if it is the same person, reject to clear these values',
  answers: {
    approve: {
      label: 'Same person, new name',
      effect: 'The values stay as they are. No credit is spent.',
      event: 'changeRejected',
      credits: 0,
    },
    reject: {
      label: "Clear donor-sync's values",
      effect: 'The next sync clears the values that donor-sync wrote to this contact.',
      event: 'blankingDecided',
      credits: 0,
    },
    resubmit: ASK_AGAIN,
  },
  decided: describeDecided,
} satisfies ContactKind;
