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

/** This run wrote a profile into the CRM. This outcome is more informative than the outcome of a later reading. */
export const WAS_WRITTEN = all(
  equal(own('outcome_run'), RUN),
  oneOf(own('outcome_reason'), listReasons('written')),
);

/** Sets the outcome, unless `isKept` is true. */
export function outcomeUnless(isKept: Condition, reason: Value): Changes {
  return {
    outcome_reason: choice(isKept, own('outcome_reason'), reason),
    outcome_detail: choice(isKept, own('outcome_detail'), null),
    outcome_run: RUN,
    outcome_at: choice(isKept, own('outcome_at'), NOW),
  };
}
