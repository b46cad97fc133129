/** The outcome that a run writes down for a contact, and when an earlier one says more. */
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

/** The outcome that the run writes down for the contact. */
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

/** This run has brought a profile into the CRM, which says more than what it reads of the contact afterwards. */
export const WAS_WRITTEN = all(
  equal(own('outcome_run'), RUN),
  oneOf(own('outcome_reason'), listReasons('written')),
);

/** The outcome of the contact unless this is true: then it keeps the one that it has. */
export function outcomeUnless(isKept: Condition, reason: Value): Changes {
  return {
    outcome_reason: choice(isKept, own('outcome_reason'), reason),
    outcome_detail: choice(isKept, own('outcome_detail'), null),
    outcome_run: RUN,
    outcome_at: choice(isKept, own('outcome_at'), NOW),
  };
}
