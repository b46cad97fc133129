import { HOLD_DECISIONS } from './decisions.ts';
import { type ContactKind, describeDecided, SAME_OR_ANOTHER } from './kind.ts';

export const matchUnsure = {
  outcome: {
    text: 'the service is less certain that the profile belongs to this person than the settings require; a user decides',
    means:
      'The service reports a lower match probability than `match.minProbability`. donor-sync wrote nothing.',
    next: 'Run `donor-sync holds --show` to see both names. Then run `donor-sync holds approve`, `reject` or `resubmit`.',
    costs:
      'One credit, already spent. `approve` and `reject` cost nothing. `resubmit` costs one credit.',
  },
  hasSpentCredit: true,
  hasProfile: true,
  isOfKnownPerson: false,
  endsWithAnswer: false,
  waitsForRun: false,
  isAnsweredInCrm: true,
  name: 'Match is unsure',
  why: (detail) =>
    `the service reports a match probability of ${detail ?? 'less than the required value'}`,
  answers: SAME_OR_ANOTHER,
  atOnce: HOLD_DECISIONS,
  decided: describeDecided,
} satisfies ContactKind;
