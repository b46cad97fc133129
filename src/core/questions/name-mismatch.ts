import { HOLD_DECISIONS } from './decisions.ts';
import { type ContactKind, describeDecided, SAME_OR_ANOTHER } from './kind.ts';

export const nameMismatch = {
  outcome: {
    text: "the name in the profile differs from the contact's name; a user decides",
    means:
      'The profile and the contact have different last names or unrelated first names. donor-sync wrote nothing.',
    next: 'Run `donor-sync holds --show` to see both names. After that, run `donor-sync holds approve` to write the kept profile, or use `reject` or `resubmit`. If you correct the name in the CRM instead, donor-sync sends the contact again.',
    costs:
      'One credit, already spent. `approve` and `reject` cost nothing. `resubmit` and a corrected name cost one credit.',
  },
  hasSpentCredit: true,
  hasProfile: true,
  isOfKnownPerson: false,
  endsWithAnswer: true,
  waitsForRun: false,
  isAnsweredInCrm: true,
  name: 'Names differ',
  why: (detail) =>
    mismatchText(detail) ?? "the name in the profile differs from the contact's name",
  answers: SAME_OR_ANOTHER,
  atOnce: HOLD_DECISIONS,
  decided: describeDecided,
} satisfies ContactKind;

/** The explanations of the name guard's results, which `name-guard.ts` returns. */
const MISMATCHES: ReadonlyMap<string | null, string> = new Map([
  ['last_name_differs', 'the profile has a different last name'],
  ['first_name_unrelated', 'the profile has a first name that is not a form of the contact’s'],
  ['profile_name_missing', 'the profile has no name to compare'],
]);

export function mismatchText(detail: string | null): string | null {
  return MISMATCHES.get(detail) ?? null;
}
