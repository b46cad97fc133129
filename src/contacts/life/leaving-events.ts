/** Events of contacts that leave the CRM or are not found there. */
import {
  all,
  any,
  type Changes,
  choice,
  equal,
  given,
  isNull,
  NOW,
  not,
  oneOf,
  own,
  RUN,
} from './changes.ts';
import { AT_REST, type EventRow, STATES, UNKNOWN } from './event.ts';
import { outcome, outcomeUnless, WAS_WRITTEN } from './outcomes.ts';

/**
 * The contact left the CRM while a credit was being spent on it, and now waits for the result. It becomes eligible
 * again when it comes back or inherits another contact's job.
 */
export const HAS_LEFT = equal(own('eligible'), 0);

/**
 * The contact opted out, or may not be submitted for another reason that only the next reading can end. A row that a
 * merge has created does not belong to a run yet.
 */
export const WAS_LEFT_OUT = all(equal(own('eligible'), 0), not(isNull(own('outcome_run'))));

export const MISSED: Changes = {
  missing_since: choice(isNull(own('missing_since')), NOW, own('missing_since')),
};

/** The outcome does not name a run, because a user may have confirmed the departure. */
const GONE: Changes = {
  outcome_reason: given('outcome_reason'),
  outcome_detail: null,
  outcome_at: NOW,
};

/** Outcomes of a settled contact that still matter when the contact is read again. */
const TELLS_MORE_AT_REST = any(
  oneOf(own('outcome_reason'), [
    ...['opted_out', 'rejected_by_person', 'person_invalid', 'crm_refused'],
  ]),
  all(
    oneOf(own('outcome_reason'), ['no_match', 'job_vanished', 'job_too_old']),
    not(isNull(own('donor_id'))),
  ),
);

export const LEAVING_EVENTS = {
  /** The contact was deleted in the CRM or merged into another contact. */
  left: {
    ways: [
      {
        from: AT_REST,
        to: 'removed',
        set: {
          due_reason: null,
          departure_read: 1,
          merged_into: given('merged_into'),
          missing_since: null,
          ...outcome(given('outcome_reason')),
        },
      },
      {
        // The contact waits for its credit's result, and is removed if there is none.
        from: ['submitted', 'ready'],
        to: null,
        set: {
          eligible: 0,
          departure_read: 1,
          merged_into: given('merged_into'),
          missing_since: null,
          ...outcome(given('outcome_reason')),
        },
      },
    ],
    otherwise: UNKNOWN,
  },
  /**
   * A lookup or a complete reading did not find the contact, but the CRM does not report it as deleted. So it is kept.
   */
  missed: {
    ways: [
      {
        from: ['settled'],
        to: null,
        when: TELLS_MORE_AT_REST,
        set: { ...MISSED, outcome_run: RUN },
      },
      {
        from: ['settled', 'due'],
        to: null,
        set: { ...MISSED, ...outcomeUnless(WAS_WRITTEN, 'contacts_missing') },
      },
      { from: ['held'], to: null, set: { ...MISSED, outcome_run: RUN } },
      { from: ['submitted', 'ready'], to: null, set: MISSED },
    ],
    otherwise: 'The contact has already left.',
  },
  /** A missing contact counts as removed, because only a few contacts are missing or a user has confirmed it. */
  gone: {
    ways: [
      {
        from: ['settled', 'due', 'held'],
        to: 'removed',
        when: not(isNull(own('missing_since'))),
        set: {
          due_reason: null,
          departure_read: 1,
          merged_into: given('merged_into'),
          ...GONE,
        },
      },
      {
        from: ['submitted', 'ready'],
        to: null,
        when: not(isNull(own('missing_since'))),
        set: {
          eligible: 0,
          departure_read: 1,
          merged_into: given('merged_into'),
          ...GONE,
        },
      },
    ],
    otherwise: 'The contact was found again, or has already left.',
  },
  /** The contact that this one was merged into was erased, so its ID is dropped. */
  heirErased: {
    ways: [{ from: STATES, to: null, set: { merged_into: null } }],
    otherwise: UNKNOWN,
  },
} satisfies Record<string, EventRow>;
