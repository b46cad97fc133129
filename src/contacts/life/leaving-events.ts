/** The events of contacts that leave the CRM or that a reading does not find there. */
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
 * The contact left while its credit was being spent, and it now waits for the profile. The contact becomes eligible
 * again if it returns or inherits a job.
 */
export const HAS_LEFT = equal(own('eligible'), 0);

/**
 * The contact opted out or is excluded for another reason, until the next reading. A contact whose row comes from a
 * merge does not belong to a run yet.
 */
export const WAS_LEFT_OUT = all(equal(own('eligible'), 0), not(isNull(own('outcome_run'))));

export const MISSED: Changes = {
  missing_since: choice(isNull(own('missing_since')), NOW, own('missing_since')),
};

/** The outcome of a contact that has left. A user may have confirmed the departure, so the outcome names no run. */
const GONE: Changes = {
  outcome_reason: given('outcome_reason'),
  outcome_detail: null,
  outcome_at: NOW,
};

/** The outcomes of settled contacts that remain valid at the next reading. */
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
  /** The contact was deleted in the CRM or merged into a different contact. */
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
        // The contact has left, but its credit has not returned a result yet. If the result is empty, the contact is
        // removed.
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
   * Neither a lookup nor a complete reading found the contact, but the CRM did not report a deletion. The contact's job
   * is kept in case the contact returns.
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
  /** A missing contact is removed if only a few contacts are missing or a user has confirmed the departure. */
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
  /** The contact that remained after a merge was erased, so its ID is dropped. */
  heirErased: {
    ways: [{ from: STATES, to: null, set: { merged_into: null } }],
    otherwise: UNKNOWN,
  },
} satisfies Record<string, EventRow>;
