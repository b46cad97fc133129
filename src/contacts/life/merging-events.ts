import { listContactKinds } from '../../core/questions/question-kinds.ts';
import type { ContactState } from '../../database/tables/contacts.ts';
import { NEXT_READING } from '../../identity/identity-text.ts';
import { all, type Changes, choice, equal, given, isNull, not, oneOf, own } from './changes.ts';
import { AT_REST, type EventRow, OF_ITS_JOB, STATES, type Way } from './event.ts';
import { WAS_LEFT_OUT } from './leaving-events.ts';
import { outcome } from './outcomes.ts';
import { SEEN } from './reading-events.ts';

/** The reasons for which a user decides about a profile that may belong to another person. */
export const MISMATCH_REASONS: readonly string[] = ['name_mismatch', 'match_unsure'];

/** The reasons for which a user decides about a paid contact. A merge of this contact must not cost another credit. */
const HELD_AND_PAID: readonly string[] = listContactKinds(({ hasSpentCredit }) => hasSpentCredit);

/** True if a user has to decide whether the contact is an erased person. */
const MAY_BE_ERASED = equal(own('outcome_reason'), 'forgotten_person');

/**
 * True if the response to the merged contact's submission was lost and a user has not decided whether to buy the
 * profile again.
 */
const IS_LOST = all(isNull(given('donor_id')), equal(given('last_credit'), 'outdated'));

/** The contact gets the profile of a contact that was merged into it. */
const INHERITS: Changes = {
  due_reason: null,
  tracking_id: given('tracking_id'),
  asked_at: given('asked_at'),
  last_credit: given('last_credit'),
  donor_id: given('donor_id'),
  enhanced_at: given('enhanced_at'),
  ...SEEN,
};

/** donor-sync has not paid for the contact yet. */
const AS_NEW: Changes = {
  asked_identity: null,
  asked_at: null,
  last_credit: null,
  tracking_id: null,
  donor_id: null,
  enhanced_at: null,
  merged_into: null,
};

function inherits(to: ContactState, more: readonly Way[] = []): EventRow {
  return {
    ways: [
      {
        from: ['unknown', 'settled', 'due', 'removed'],
        to,
        set: {
          ...INHERITS,
          asked_identity: NEXT_READING,
          eligible: 1,
          ...outcome('delivery_pending'),
        },
      },
      ...more,
      // The inherited profile also waits for the user's decision.
      { from: ['held'], to: null, set: { ...INHERITS, asked_identity: own('identity') } },
    ],
    otherwise: 'The contact is waiting for its own profile.',
  };
}

export const MERGING_EVENTS = {
  /** The job now belongs to the remaining contact. */
  gaveJobAway: {
    ways: [
      { from: AT_REST, to: null, when: OF_ITS_JOB, set: { tracking_id: null } },
      {
        from: ['submitted', 'ready'],
        to: 'removed',
        when: OF_ITS_JOB,
        set: { tracking_id: null, due_reason: null, ...outcome('merged_in_crm') },
      },
    ],
    otherwise: 'The contact is not waiting for the job that moves.',
    endsJob: true,
  },
  /** Another contact was merged into this contact. This contact keeps its own profile and gets new details. */
  absorbed: {
    ways: [
      {
        // A removed contact must have returned, because nothing can be merged into a contact that is gone.
        from: ['settled', 'submitted', 'ready', 'removed'],
        to: null,
        when: not(isNull(own('asked_identity'))),
        set: { asked_identity: NEXT_READING },
      },
      {
        // An earlier run read the change, but ended before it spent a credit.
        from: ['due'],
        to: 'settled',
        when: all(equal(own('due_reason'), 'identity_changed'), not(isNull(own('asked_identity')))),
        set: {
          due_reason: null,
          asked_identity: NEXT_READING,
          ...outcome(choice(isNull(own('donor_id')), 'no_match_known', 'profile_fresh')),
        },
      },
      {
        from: ['held'],
        to: null,
        when: oneOf(own('outcome_reason'), HELD_AND_PAID),
        set: { asked_identity: NEXT_READING },
      },
    ],
    otherwise: 'The contact has no profile to keep.',
  },
  inheritedRunning: inherits('submitted'),
  inheritedDone: inherits('ready', [
    {
      // The contact's own profile does not match its names, so the name guard checks the other contact's profile.
      from: ['held'],
      to: 'ready',
      when: all(oneOf(own('outcome_reason'), MISMATCH_REASONS), isNull(own('donor_id'))),
      set: { ...INHERITS, asked_identity: NEXT_READING, ...outcome('delivery_pending') },
    },
  ]),
  /**
   * Several merges have each given the contact a profile. The profile for the current name replaces the waiting
   * profile.
   */
  gotFittingJob: {
    ways: [
      { from: ['ready'], to: null, set: { ...INHERITS, asked_identity: own('identity') } },
      {
        from: ['held'],
        to: 'ready',
        when: oneOf(own('outcome_reason'), ['name_mismatch']),
        set: { ...INHERITS, asked_identity: own('identity'), ...outcome('delivery_pending') },
      },
    ],
    otherwise: 'The contact is not waiting for a profile with another name.',
  },
  /** The profile was moved to the contact's other ID. The same transaction moves it back. */
  gotFormerIdBack: {
    ways: [
      { from: ['settled'], to: null, when: WAS_LEFT_OUT, set: AS_NEW },
      {
        from: ['settled', 'due'],
        to: 'due',
        set: { ...AS_NEW, due_reason: 'never_enhanced' },
      },
    ],
    otherwise: 'The contact is being processed, or a user has to decide about it.',
    endsJob: true,
  },
  /**
   * The contact has the details of a missing paid contact, so these details count as paid for. They are recorded now,
   * because the next list may contain different IDs again. Even if no profile was found, the same details do not cost
   * another credit.
   */
  continued: {
    ways: [
      {
        from: STATES,
        to: null,
        when: equal(own('asked_identity'), NEXT_READING),
        set: { asked_identity: own('identity') },
      },
      {
        from: ['settled'],
        to: null,
        when: all(isNull(own('asked_identity')), WAS_LEFT_OUT),
        set: { ...INHERITS, tracking_id: null, asked_identity: own('identity') },
      },
      {
        from: ['held'],
        to: null,
        when: all(isNull(own('asked_identity')), MAY_BE_ERASED, not(IS_LOST)),
        set: { ...INHERITS, tracking_id: null, asked_identity: own('identity') },
      },
      {
        from: ['due'],
        to: 'settled',
        when: isNull(own('asked_identity')),
        set: {
          ...INHERITS,
          tracking_id: null,
          asked_identity: own('identity'),
          ...outcome(choice(isNull(given('donor_id')), 'no_match_known', 'profile_fresh')),
        },
      },
    ],
    otherwise: 'A credit was spent on the contact itself, or it has a profile now.',
  },
  /**
   * The response for the merged contact was lost, or donor-sync cannot read its paid job. A user must now decide about
   * the remaining contact.
   */
  inheritedQuestion: {
    ways: [
      {
        from: ['unknown', 'settled', 'due', 'removed'],
        to: 'held',
        when: isNull(own('asked_identity')),
        set: {
          ...INHERITS,
          asked_identity: NEXT_READING,
          // The contact may still be excluded, so the next run reads the contact again.
          last_credit: choice(
            all(WAS_LEFT_OUT, equal(given('last_credit'), 'stands')),
            'outdated',
            given('last_credit'),
          ),
          eligible: 1,
          ...outcome(given('outcome_reason'), given('outcome_detail')),
        },
      },
    ],
    otherwise: 'A credit was spent on the contact itself, or a user is asked about it.',
  },
  /** A user refused to buy the merged contact's profile again. */
  inheritedRejection: {
    ways: [
      {
        from: ['settled'],
        to: null,
        when: all(isNull(own('asked_identity')), WAS_LEFT_OUT),
        set: { ...INHERITS, tracking_id: null, asked_identity: NEXT_READING },
      },
      {
        from: ['unknown', 'settled', 'due', 'removed'],
        to: 'settled',
        when: isNull(own('asked_identity')),
        set: {
          ...INHERITS,
          tracking_id: null,
          asked_identity: NEXT_READING,
          eligible: 1,
          ...outcome(given('outcome_reason')),
        },
      },
    ],
    otherwise: 'A credit was spent on the contact itself, or a user is asked about it.',
  },
} satisfies Record<string, EventRow>;
