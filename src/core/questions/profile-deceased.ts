import { ASK_AGAIN, type ContactKind, describeDecided, WRITE } from './kind.ts';

export const profileDeceased = {
  outcome: {
    text: 'the profile says that this person has died; a user decides',
    means: 'The profile says that this person has died. donor-sync wrote nothing.',
    next: '`donor-sync holds approve` writes the profile anyway, and `reject` does not.',
    costs: 'One credit, already spent. Both answers cost nothing.',
  },
  hasSpentCredit: true,
  hasProfile: true,
  isOfKnownPerson: true,
  endsWithAnswer: true,
  waitsForRun: false,
  isAnsweredInCrm: true,
  name: 'Has died',
  why: () => 'the profile says that this person has died',
  answers: {
    approve: { label: 'Write it anyway', effect: WRITE, event: 'profileApproved', credits: 0 },
    reject: {
      label: 'Leave it alone',
      effect: 'Nothing is written to the contact.',
      event: 'profileRejected',
      credits: 0,
    },
    resubmit: ASK_AGAIN,
  },
  atOnce: ['approve', 'reject'],
  decided: describeDecided,
} satisfies ContactKind;
