import { type ContactKind, describeDecided, KEEP_FORMER } from './kind.ts';

/** For many contacts that did not change, the service now returns different donors. */
export const donorMassChange = {
  outcome: {
    text: 'the service now returns a different donor for this contact and for many others that did not change; a user decides',
    means:
      'The service now returns a different donor for this contact and for many others that did not change. donor-sync wrote nothing.',
    next: '`donor-sync holds approve` writes all values of the new profile together, and `reject` keeps the former values.',
    costs: 'One credit, already spent. Both answers cost nothing.',
  },
  hasSpentCredit: true,
  hasProfile: true,
  isOfKnownPerson: false,
  endsWithAnswer: false,
  waitsForRun: false,
  isAnsweredInCrm: true,
  name: 'Another donor for many',
  why: () =>
    'the service now matches it to another donor, as it does many other contacts that did not change',
  answers: {
    approve: {
      label: 'Write the new profile',
      effect: 'The next sync replaces all values of the former donor at once.',
      event: 'profileApproved',
      credits: 0,
    },
    reject: KEEP_FORMER,
  },
  refusal: 'Its profile is available and is not bought again.',
  atOnce: ['approve', 'reject'],
  decided: describeDecided,
} satisfies ContactKind;
