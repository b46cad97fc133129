import {
  all,
  any,
  type Changes,
  choice,
  equal,
  given,
  isNull,
  not,
  oneOf,
  own,
  RUN,
  type Value,
} from './changes.ts';
import {
  AT_REST,
  type EventRow,
  OF_ITS_JOB,
  ONLY_ITS_PROFILE,
  STATES,
  UNDER_WAY,
  UNKNOWN,
} from './event.ts';
import { IN_LINE, PRIORITY, waitsForAccess } from './line-events.ts';
import { outcome, outcomeUnless, UNCHANGED, WAS_WRITTEN } from './outcomes.ts';

/** The reasons that end when donor-sync reads the contact again. */
const NOT_THERE = ['contacts_missing', 'deleted_in_crm', 'merged_in_crm'] as const;

/**
 * True if this run already has an outcome for the contact. That outcome tells users more than a reading with nothing to
 * do.
 */
const SAID_MORE = any(
  WAS_WRITTEN,
  all(
    equal(own('outcome_run'), RUN),
    oneOf(given('outcome_reason'), UNCHANGED),
    not(oneOf(own('outcome_reason'), [...UNCHANGED, ...NOT_THERE])),
  ),
);

/** True if the CRM record refused the whole profile and has not accepted it since. */
const STILL_REFUSED = all(
  equal(own('outcome_reason'), 'crm_refused'),
  equal(given('outcome_reason'), 'profile_fresh'),
);

const OUTCOME_OF_READING: Changes = outcomeUnless(
  any(SAID_MORE, STILL_REFUSED),
  given('outcome_reason'),
);

/** This run found the contact in the CRM or in a merge. */
export const SEEN: Changes = { seen_run: RUN, departure_read: 0 };

/** The changes that every reading records. */
const READ: Changes = {
  identity: given('identity'),
  asked_identity: given('asked_identity'),
  has_opted_out: given('has_opted_out'),
  ...SEEN,
  missing_since: null,
};

/** The contact has returned and may be submitted. */
const CAME_BACK: Changes = { eligible: 1, has_opted_out: 0, ...SEEN, missing_since: null };

const OUT_OF_LINE: Changes = {
  due_reason: null,
  priority: choice(waitsForAccess(own('priority')), PRIORITY.refresh, own('priority')),
};

/** This run decides about the contact again, as an earlier run planned. */
const CREDIT_ONCE_READ = choice(
  equal(own('last_credit'), 'outdated'),
  'stands',
  own('last_credit'),
);

export const READING_EVENTS = {
  chosen: {
    ways: [{ from: ['unknown', ...AT_REST], to: 'due', set: { ...READ, ...IN_LINE } }],
    otherwise: UNDER_WAY,
    // The contact does not need an outdated profile or a profile for other details.
    endsJob: true,
  },
  foundFresh: {
    ways: [
      {
        from: ['unknown', ...AT_REST],
        to: 'settled',
        set: { ...READ, ...OUT_OF_LINE, eligible: 1, tracking_id: null, ...OUTCOME_OF_READING },
      },
    ],
    otherwise: UNDER_WAY,
    endsJob: true,
  },
  leftOut: {
    ways: [
      {
        from: ['unknown', ...AT_REST],
        to: 'settled',
        // The contact's paid job is kept in case the contact returns.
        set: { ...READ, ...OUT_OF_LINE, eligible: 0, ...OUTCOME_OF_READING },
      },
    ],
    otherwise: UNDER_WAY,
  },
  foundErased: {
    ways: [
      {
        from: ['unknown', ...AT_REST],
        to: 'held',
        set: { ...READ, ...OUT_OF_LINE, eligible: 1, ...outcome('forgotten_person') },
      },
    ],
    otherwise: UNDER_WAY,
  },
  /**
   * The contact was erased and is blocked, but a user must still remove donor-sync's values from the CRM. Nothing is
   * stored, but the contact has not left the CRM.
   */
  foundBlocked: {
    ways: [{ from: STATES, to: null, set: { ...SEEN, missing_since: null } }],
    otherwise: UNKNOWN,
  },
  /** Records only the data that was read. */
  seen: {
    ways: [
      {
        from: ['held'],
        to: null,
        set: {
          ...READ,
          asked_identity: readOrOwn(),
          last_credit: CREDIT_ONCE_READ,
          eligible: 1,
          outcome_run: RUN,
        },
      },
      {
        // The outcome is set after this run has tried to deliver the profile. An earlier run's reason would look like a
        // failure in this run.
        from: ['submitted', 'ready'],
        to: null,
        set: { ...READ, asked_identity: readOrOwn(), eligible: 1 },
      },
      {
        from: ['settled', 'due', 'removed'],
        to: null,
        set: { ...READ, asked_identity: readOrOwn() },
      },
    ],
    otherwise: UNKNOWN,
  },
  /** The contact is back. It was missing while its paid profile was in flight or a question about it was open. */
  cameBack: {
    ways: [
      {
        from: ['settled', 'removed'],
        to: 'ready',
        when: not(isNull(own('tracking_id'))),
        set: {
          ...CAME_BACK,
          due_reason: null,
          ...outcome('delivery_pending'),
        },
      },
      {
        from: ['held'],
        to: null,
        set: {
          ...CAME_BACK,
          last_credit: CREDIT_ONCE_READ,
          outcome_run: RUN,
        },
      },
    ],
    otherwise: 'The contact has no paid job.',
  },
  heldAgain: {
    ways: [
      {
        from: ['ready'],
        to: 'held',
        when: OF_ITS_JOB,
        set: {
          outcome_reason: given('outcome_reason'),
          outcome_detail: given('outcome_detail'),
        },
      },
    ],
    otherwise: ONLY_ITS_PROFILE,
  },
} satisfies Record<string, EventRow>;

function readOrOwn(): Value {
  return choice(isNull(given('asked_identity')), own('asked_identity'), given('asked_identity'));
}
