import { ASK_AGAIN, type ContactKind, describeDecided } from './kind.ts';

export const lostAnswer = {
  outcome: {
    text: 'the response was lost after the credit may have been spent; a user decides',
    means:
      'The response to a submission was lost, and a credit may have been spent. The submission was for this contact, or for a different contact of the same person.',
    next: '`donor-sync holds resubmit` sends the contact again, and `reject` does not. With `onLostAnswer: resubmit` in the settings, donor-sync always resubmits.',
    costs:
      'One credit may have been spent already. `reject` costs nothing. `resubmit` costs one credit.',
  },
  hasSpentCredit: true,
  hasProfile: false,
  isOfKnownPerson: false,
  endsWithAnswer: false,
  waitsForRun: false,
  isAnsweredInCrm: true,
  name: 'Response was lost',
  why: (detail) =>
    `the response to its submission was lost, and its credit may have been spent${detail === null ? '' : ` (${detail})`}`,
  answers: {
    reject: {
      label: 'Leave it alone',
      effect: 'Nothing is written to the contact.',
      event: 'profileRejected',
      credits: 0,
    },
    resubmit: ASK_AGAIN,
  },
  refusal: 'The response was lost, so there is no profile to approve.',
  atOnce: ['reject', 'resubmit'],
  decided: describeDecided,
} satisfies ContactKind;
