import { OUTCOME_REASONS, type Outcome } from '../../core/outcome.ts';
import {
  all,
  type Changes,
  type Condition,
  choice,
  equal,
  NOW,
  oneOf,
  own,
  RUN,
  type Value,
} from './changes.ts';

/** Returns the outcome that the run records for the contact. */
export function outcome(reason: Value, detail: Value = null): Changes {
  return {
    outcome_reason: reason,
    outcome_detail: detail,
    outcome_run: RUN,
    outcome_at: NOW,
  };
}

export function listReasons(wanted: Outcome): string[] {
  return Object.entries(OUTCOME_REASONS).flatMap(([reason, of]) => (of === wanted ? [reason] : []));
}

export const UNCHANGED = listReasons('unchanged');

/**
 * True if this run wrote a profile into the CRM. The outcome of the write tells users more than the outcome of a later
 * reading.
 */
export const WAS_WRITTEN = all(
  equal(own('outcome_run'), RUN),
  oneOf(own('outcome_reason'), listReasons('written')),
);

/** Returns the changes that set the outcome, unless the condition `isKept` is true. */
export function outcomeUnless(isKept: Condition, reason: Value): Changes {
  return {
    outcome_reason: choice(isKept, own('outcome_reason'), reason),
    outcome_detail: choice(isKept, own('outcome_detail'), null),
    outcome_run: RUN,
    outcome_at: choice(isKept, own('outcome_at'), NOW),
  };
}
