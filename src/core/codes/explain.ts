/** Finds the explanations of a code from a report, a message or a response. */
import { getOutcome, isOutcomeReason, OUTCOME_REASONS } from '../outcome.ts';
import { ERROR_TOPICS } from './errors.ts';
import {
  EXCLUSION_EXPLANATIONS,
  OUTCOME_EXPLANATIONS,
  REASON_EXPLANATIONS,
  WAITING_EXPLANATIONS,
} from './outcomes.ts';
import type { ReasonExplanation } from './reason-explanation.ts';

/**
 * The kind of code. `waiting_values` explains why values wait, and `excluded_values` explains why a redelivery excludes
 * a contact. `error` is the code of an error or of a stopped run.
 */
export type CodeKind = 'outcome' | 'reason' | 'waiting_values' | 'excluded_values' | 'error';

/** An explanation, in the form of `donor-sync help CODE --json`. */
export interface Explanation {
  code: string;
  kind: CodeKind;
  means: string;
  /** The next event, or the next step for the user. */
  next: string;
  /** The cost, or null if the error does not involve credits. */
  costs: string | null;
  /** The document with more information, as a path in the repository. */
  document: string;
}

const PAGE = 'docs/outcomes.md';

/** Returns every explanation of the code, reasons first. Empty if this version of donor-sync does not know the code. */
export function explain(code: string): Explanation[] {
  return ALL.filter((explanation) => explanation.code === code);
}

/** Returns every code that has an explanation, without duplicates. */
export function listCodes(): string[] {
  return [...new Set(ALL.map(({ code }) => code))];
}

const ALL: readonly Explanation[] = [
  ...Object.entries(OUTCOME_EXPLANATIONS).map(([code, means]) => explainOutcome(code, means)),
  ...Object.entries(REASON_EXPLANATIONS).map(([code, explanation]) => ({
    ...withPage(code, explanation, isOutcomeReason(code) ? getOutcome(code) : ''),
    kind: 'reason' as const,
  })),
  ...Object.entries(WAITING_EXPLANATIONS).map(([code, explanation]) => ({
    ...withPage(code, explanation, 'values-that-wait-to-be-written'),
    kind: 'waiting_values' as const,
  })),
  ...Object.entries(EXCLUSION_EXPLANATIONS).map(([code, explanation]) => ({
    ...withPage(code, explanation, 'values-that-stay-out'),
    kind: 'excluded_values' as const,
  })),
  ...ERROR_TOPICS.flatMap(({ document, codes }) =>
    Object.entries(codes).map(([code, { means, next, costs = null, document: own }]) => ({
      code,
      kind: 'error' as const,
      means,
      next,
      costs,
      document: own ?? document,
    })),
  ),
];

function withPage(code: string, { means, next, costs }: ReasonExplanation, heading: string) {
  return { code, means, next, costs, document: `${PAGE}#${heading}` };
}

function explainOutcome(code: string, means: string): Explanation {
  const reasons = Object.entries(OUTCOME_REASONS).flatMap(([reason, outcome]) =>
    outcome === code ? reason : [],
  );
  return {
    code,
    kind: 'outcome',
    costs: null,
    document: `${PAGE}#${code}`,
    means: `An outcome for a contact: ${means}.`,
    next: `Look up its reason with \`donor-sync help REASON\`: ${reasons.join(', ')}.`,
  };
}
