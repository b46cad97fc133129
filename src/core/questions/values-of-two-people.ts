import { type ContactKind, describeDecided, KEEP_FORMER } from './kind.ts';

/** donor-sync could not replace another person's values in the CRM, so it wrote nothing. */
export const valuesOfTwoPeople = {
  outcome: {
    text: 'the CRM does not accept all values of the new person at once, so nothing was written; a user decides',
    means:
      "The contact is now a different person, and the CRM refused at least one of the new person's values. A contact must not contain the values of two people, so donor-sync wrote nothing. Trying again costs no credit.",
    next: "Change the refused value or the CRM's rule. Then `donor-sync holds approve` tries again, and `reject` keeps the former values.",
    costs: 'One credit, already spent. Both answers cost nothing.',
  },
  hasSpentCredit: true,
  hasProfile: true,
  isOfKnownPerson: true,
  endsWithAnswer: false,
  waitsForRun: false,
  isAnsweredInCrm: true,
  name: 'Change of person was refused',
  why: twoPeopleReason,
  answers: {
    approve: {
      label: 'Try again',
      effect: 'The next sync tries to replace all values at once. No credit is spent.',
      event: 'profileApproved',
      credits: 0,
    },
    reject: KEEP_FORMER,
  },
  refusal: 'Its profile is available and is not bought again.',
  atOnce: ['approve', 'reject'],
  decided: describeDecided,
} satisfies ContactKind;

/**
 * Explains why the CRM record would contain values of two people. `detail` is the CRM's message or the result of a
 * delivery.
 */
function twoPeopleReason(detail: string | null): string {
  const tail = 'approve to try again, reject to keep the former values';
  if (detail === 'not_together') {
    return `the values of another person have to be replaced at once, which this CRM's connector cannot do: ${tail}`;
  }
  const [, hidden] = detail?.split('hidden: ') ?? [];
  if (hidden !== undefined) {
    return `the CRM no longer shows fields that may hold values of another person (${hidden}): make the fields visible again, or approve if the values are gone`;
  }
  return `the CRM does not accept all values of the new person at once (${detail ?? 'no reason given'}), so nothing was written: ${tail}`;
}
