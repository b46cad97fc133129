/** A contact takes over what another one was paid for that became a part of it. */
import { listContactKinds } from '../../core/question-kinds.ts';
import type { ContactState } from '../../database/tables/contacts.ts';
import { NEXT_READING } from '../../identity/identity-text.ts';
import { all, type Changes, choice, equal, given, isNull, not, oneOf, own } from './changes.ts';
import { AT_REST, type EventRow, OF_ITS_JOB, type Way } from './event.ts';
import { WAS_LEFT_OUT } from './leaving-events.ts';
import { outcome } from './outcomes.ts';
import { SEEN } from './reading-events.ts';

/** A profile is there and may be another person's; a person decides. */
export const MISMATCH_REASONS: readonly string[] = ['name_mismatch', 'match_unsure'];

/** A person decides, and a credit was spent on the contact: a merge is no reason for another one. */
const HELD_AND_PAID: readonly string[] = listContactKinds(({ isPaid }) => isPaid);

/** The profile of a contact that became a part of this one. */
const INHERITS: Changes = {
  due_reason: null,
  tracking_id: given('tracking_id'),
  asked_at: given('asked_at'),
  last_credit: given('last_credit'),
  donor_id: given('donor_id'),
  enhanced_at: given('enhanced_at'),
  ...SEEN,
};

function inherits(to: ContactState, more: readonly Way[] = []): EventRow {
  return {
    ways: [
      {
        from: ['unknown'],
        to,
        set: {
          ...INHERITS,
          asked_identity: NEXT_READING,
          eligible: 1,
          ...outcome('delivery_pending'),
        },
      },
      {
        from: ['settled', 'due', 'removed'],
        to,
        set: {
          ...INHERITS,
          asked_identity: NEXT_READING,
          eligible: 1,
          ...outcome('delivery_pending'),
        },
      },
      ...more,
      // The profile waits with it for the person's decision.
      { from: ['held'], to: null, set: { ...INHERITS, asked_identity: own('identity') } },
    ],
    otherwise: 'It waits for a profile of its own.',
  };
}

export const MERGING_EVENTS = {
  /** The contact that it became a part of has its job now. */
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
    otherwise: 'The job that moves is not the one that it waits for.',
    endsJob: true,
  },
  /**
   * Another contact became a part of it, and it keeps its own profile. What it is now counts as what
   * that was asked with.
   */
  absorbed: {
    ways: [
      {
        // One that had left is back, or it could not have taken in another one.
        from: ['settled', 'submitted', 'ready', 'removed'],
        to: null,
        when: not(isNull(own('asked_identity'))),
        set: { asked_identity: NEXT_READING },
      },
      {
        // An earlier run has read that it changed, and ended before a credit was spent on that.
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
    otherwise: 'It has no profile that is to be kept.',
  },
  inheritedRunning: inherits('submitted'),
  inheritedDone: inherits('ready', [
    {
      // Its own profile did not fit its names; the guard looks at this one in its place.
      from: ['held'],
      to: 'ready',
      when: all(oneOf(own('outcome_reason'), MISMATCH_REASONS), isNull(own('donor_id'))),
      set: { ...INHERITS, asked_identity: NEXT_READING, ...outcome('delivery_pending') },
    },
  ]),
  /**
   * Of the profiles that came to it by merges, another one was paid for under its present name: that takes the
   * place of the one that waits.
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
    otherwise: 'It waits for no profile of another name.',
  },
  /** The answer to its submission was lost, and a person decides: about the contact that it is part of now. */
  inheritedQuestion: {
    ways: [
      {
        from: ['unknown', 'settled', 'due', 'removed'],
        to: 'held',
        when: isNull(own('asked_identity')),
        set: {
          ...INHERITS,
          asked_identity: NEXT_READING,
          // Who was left out may still have to be: the next run reads it again.
          last_credit: choice(
            all(WAS_LEFT_OUT, equal(given('last_credit'), 'stands')),
            'outdated',
            given('last_credit'),
          ),
          eligible: 1,
          ...outcome('lost_answer', given('outcome_detail')),
        },
      },
    ],
    otherwise: 'A credit was spent on it by itself, or a person is asked about it.',
  },
  /** A person has rejected to spend again on the contact that is a part of it now. */
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
          ...outcome('rejected_by_person'),
        },
      },
    ],
    otherwise: 'A credit was spent on it by itself, or a person is asked about it.',
  },
} satisfies Record<string, EventRow>;
