import type { ContactState } from '../../database/tables/contacts.ts';
import {
  all,
  type Changes,
  type Condition,
  choice,
  equal,
  given,
  isNull,
  NOW,
  not,
  oneOf,
  own,
  type Value,
} from './changes.ts';
import { type EventRow, MOVED_ON, NOT_IN_LINE } from './event.ts';
import { WAS_LEFT_OUT } from './leaving-events.ts';
import { outcome, outcomeUnless, WAS_WRITTEN } from './outcomes.ts';

/** The order in which due contacts are submitted. */
export const PRIORITY = {
  groupMember: 0,
  neverEnhanced: 1,
  refresh: 2,
  /** The contact waits until donor-sync can read its missing identity field again. */
  waitsForAccess: 9,
} as const;

export const waitsForAccess = (priority: Value) => equal(priority, PRIORITY.waitsForAccess);

/**
 * The column that shows whether the contact has opted out. The column's value depends on the reason for the exclusion.
 */
export const OPTED_OUT = choice(equal(given('outcome_reason'), 'opted_out'), 1, 0);

export const IN_LINE: Changes = {
  eligible: 1,
  due_reason: given('due_reason'),
  priority: given('priority'),
  tracking_id: null,
  // This run may already have written an earlier profile. If this run submits nothing, the outcome of the earlier
  // profile is kept.
  ...outcomeUnless(
    all(WAS_WRITTEN, not(waitsForAccess(given('priority')))),
    choice(waitsForAccess(given('priority')), 'identity_unreadable', 'submission_pending'),
  ),
};

export function inLine(to: ContactState | null, set: Changes, when?: Condition): EventRow {
  return {
    ways: [{ from: ['due'], to, set, ...(when === undefined ? {} : { when }) }],
    otherwise: NOT_IN_LINE,
  };
}

/** The contact counts as paid for until a user decides to buy a profile for it. */
const COUNTS_AS_PAID: Changes = {
  asked_identity: own('identity'),
  asked_at: NOW,
  last_credit: 'stands',
};

const MAYBE_PAID: Changes = {
  due_reason: null,
  ...COUNTS_AS_PAID,
  ...outcome('paid_since_backup', given('outcome_detail')),
};

export const LINE_EVENTS = {
  reconsidered: {
    ways: [{ from: ['settled'], to: 'due', set: IN_LINE }],
    otherwise: MOVED_ON,
    endsJob: true,
  },
  joinedGroup: inLine(
    null,
    { priority: PRIORITY.groupMember },
    not(equal(own('priority'), PRIORITY.groupMember)),
  ),
  triedAgain: inLine(null, { priority: PRIORITY.refresh }, waitsForAccess(own('priority'))),
  unreadable: inLine(null, {
    priority: PRIORITY.waitsForAccess,
    ...outcome('identity_unreadable'),
  }),
  adopted: inLine(
    'settled',
    {
      due_reason: null,
      identity: given('asked_identity'),
      asked_identity: given('asked_identity'),
      asked_at: given('asked_at'),
      donor_id: given('donor_id'),
      enhanced_at: given('asked_at'),
      values_donor: given('donor_id'),
      values_identity: given('asked_identity'),
      ...outcome('profile_adopted'),
    },
    isNull(own('asked_at')),
  ),
  turnedOutIneligible: inLine('settled', {
    eligible: 0,
    has_opted_out: OPTED_OUT,
    due_reason: null,
    ...outcomeUnless(WAS_WRITTEN, given('outcome_reason')),
  }),
  turnedOutFresh: inLine('settled', {
    due_reason: null,
    ...outcomeUnless(WAS_WRITTEN, given('outcome_reason')),
  }),
  turnedOutGone: inLine('removed', {
    eligible: 0,
    due_reason: null,
    missing_since: null,
    ...outcome(given('outcome_reason')),
  }),
  changedWithMany: inLine(
    'held',
    { due_reason: null, ...outcome('identity_mass_change') },
    equal(own('due_reason'), 'identity_changed'),
  ),
  maybePaid: {
    ways: [
      { from: ['due'], to: 'held', set: MAYBE_PAID },
      {
        // The service lost the job after the backup, or the current service key cannot access the job.
        from: ['settled'],
        to: 'held',
        when: all(
          isNull(own('asked_identity')),
          oneOf(own('outcome_reason'), ['job_vanished', 'job_too_old']),
        ),
        set: MAYBE_PAID,
      },
    ],
    otherwise: NOT_IN_LINE,
  },
  /**
   * The contact once waited for its job. The contact then changed, opted out or left. The contact now has the paid
   * details again, but donor-sync still cannot read the job.
   */
  maybePaidAgain: {
    ways: [
      {
        from: ['settled'],
        to: 'held',
        when: all(
          not(isNull(own('asked_identity'))),
          equal(own('outcome_reason'), 'no_match_known'),
        ),
        set: { due_reason: null, ...outcome('paid_since_backup', given('outcome_detail')) },
      },
    ],
    otherwise: 'The contact was not paid for, or has an answer.',
  },
  /** The service key that paid for the job is in use again, so donor-sync polls the job again. */
  seenAgain: {
    ways: [
      {
        from: ['held'],
        to: 'submitted',
        when: all(isNull(own('tracking_id')), equal(own('outcome_reason'), 'paid_since_backup')),
        set: {
          asked_identity: given('asked_identity'),
          asked_at: given('asked_at'),
          last_credit: 'stands',
          tracking_id: given('tracking_id'),
          ...outcome('submission_pending'),
        },
      },
    ],
    otherwise: 'The contact no longer waits for this job.',
  },
  /** The contact has left, and donor-sync cannot read its job. If the contact returns, it counts as paid for. */
  maybePaidAway: {
    ways: [
      {
        from: ['removed'],
        to: null,
        when: all(isNull(own('asked_identity')), equal(own('last_credit'), 'in_vain')),
        set: COUNTS_AS_PAID,
      },
    ],
    otherwise: 'The contact has not left, or nothing was paid for it.',
  },
  suspected: {
    ways: [
      {
        from: ['due', 'held'],
        to: 'held',
        set: { due_reason: null, ...outcome('forgotten_person') },
      },
      {
        from: ['settled'],
        to: 'held',
        when: not(WAS_LEFT_OUT),
        set: { due_reason: null, ...outcome('forgotten_person') },
      },
    ],
    otherwise:
      'Work on the contact is in progress, or the contact is excluded, so nothing is sent or written for it.',
  },
} satisfies Record<string, EventRow>;
