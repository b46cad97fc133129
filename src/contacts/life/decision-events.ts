import type { ContactState } from '../../database/tables/contacts.ts';
import { NEXT_READING } from '../../identity/identity-text.ts';
import { all, any, type Changes, choice, equal, isNull, NOW, not, own } from './changes.ts';
import { CREDIT_AT_THE_END, HAS_ASKED_IN_VAIN } from './credit-events.ts';
import { type EventRow, NOT_ASKED, type Way } from './event.ts';
import { HAS_LEFT } from './leaving-events.ts';
import { PRIORITY } from './line-events.ts';

/** The store kept the contact only for this question, so the contact is now removed. */
const LEFT_UNDECIDED: Changes = {
  due_reason: null,
  outcome_reason: 'deleted_in_crm',
  outcome_detail: null,
  outcome_at: NOW,
};

/** A user has requested a new enhancement, so the last credit counts as not spent. */
const ASKED_FOR_AGAIN: Changes = {
  asked_identity: null,
  last_credit: 'in_vain',
  tracking_id: null,
};

function ofPerson(to: ContactState, set: Changes): EventRow {
  return { ways: [{ from: ['held'], to, set }], otherwise: NOT_ASKED };
}

/**
 * Applies a user's decision about changed details. The decision does not apply if a merge has given the contact a
 * profile for the new details.
 */
function ofChange(to: ContactState, set: Changes): EventRow {
  const { ways, ...more } = ofPerson(to, set);
  const inherited: Way = {
    from: ['held'],
    to: 'ready',
    when: not(isNull(own('tracking_id'))),
    set: { outcome_reason: 'delivery_pending', outcome_at: NOW },
  };
  return { ways: [inherited, ...ways], ...more };
}

export const DECISION_EVENTS = {
  changeApproved: ofChange('due', {
    due_reason: 'identity_change_approved',
    priority: PRIORITY.refresh,
    outcome_reason: 'submission_pending',
    outcome_at: NOW,
  }),
  changeRejected: ofChange('settled', {
    // The person is the same, so the last credit also covers the new details.
    asked_identity: own('identity'),
    values_identity: choice(isNull(own('values_donor')), null, own('identity')),
    asked_at: choice(HAS_ASKED_IN_VAIN, NOW, own('asked_at')),
    last_credit: choice(HAS_ASKED_IN_VAIN, 'stands', own('last_credit')),
    outcome_reason: 'identity_change_rejected',
    outcome_at: NOW,
  }),
  /** The restored backup may not contain the payment for this contact. */
  maybePaidApproved: ofChange('due', {
    due_reason: 'resubmitted_by_person',
    priority: PRIORITY.refresh,
    outcome_reason: 'submission_pending',
    outcome_at: NOW,
  }),
  maybePaidRejected: ofChange('settled', {
    asked_identity: own('identity'),
    asked_at: NOW,
    last_credit: 'stands',
    outcome_reason: 'counted_as_paid',
    outcome_at: NOW,
  }),
  profileApproved: ofPerson('ready', { outcome_reason: 'delivery_pending' }),
  profileRejected: {
    ways: [
      {
        from: ['held'],
        to: 'removed',
        when: HAS_LEFT,
        set: { tracking_id: null, ...LEFT_UNDECIDED },
      },
      {
        from: ['held'],
        to: 'settled',
        set: {
          tracking_id: null,
          // The contact's details may have changed since the rejected profile was bought.
          last_credit: CREDIT_AT_THE_END,
          outcome_reason: 'rejected_by_person',
          outcome_at: NOW,
        },
      },
    ],
    otherwise: NOT_ASKED,
    endsJob: true,
  },
  askedForAgain: {
    ways: [
      {
        from: ['held'],
        to: 'removed',
        when: HAS_LEFT,
        set: { ...ASKED_FOR_AGAIN, ...LEFT_UNDECIDED },
      },
      {
        from: ['held'],
        to: 'due',
        set: {
          ...ASKED_FOR_AGAIN,
          due_reason: 'resubmitted_by_person',
          priority: PRIORITY.refresh,
          outcome_reason: 'submission_pending',
          outcome_at: NOW,
        },
      },
    ],
    otherwise: NOT_ASKED,
    endsJob: true,
  },
  /** The values in the CRM belong to another person, so the next run clears these values. */
  blankingDecided: {
    ways: [
      {
        from: ['held'],
        to: 'settled',
        set: {
          // The next run clears values without a stored identity.
          values_identity: null,
          donor_id: null,
          outcome_reason: 'blanking_pending',
          outcome_at: NOW,
        },
      },
    ],
    otherwise: NOT_ASKED,
  },
  /** The user decided that the contact is not the erased person. The contact continues from its previous state. */
  distinguished: {
    ways: [
      {
        from: ['held'],
        to: 'ready',
        when: not(isNull(own('tracking_id'))),
        set: { eligible: 1, due_reason: null, outcome_reason: 'delivery_pending', outcome_at: NOW },
      },
      {
        from: ['held'],
        to: 'due',
        when: any(
          isNull(own('asked_identity')),
          all(
            not(equal(own('asked_identity'), NEXT_READING)),
            not(equal(own('asked_identity'), own('identity'))),
          ),
        ),
        set: {
          // The user's answer tells who the contact is. The settings decide whether the changed details are worth a
          // credit.
          due_reason: choice(
            not(isNull(own('asked_identity'))),
            'identity_changed',
            choice(isNull(own('last_credit')), 'never_enhanced', 'job_vanished'),
          ),
          outcome_reason: 'submission_pending',
          outcome_at: NOW,
        },
      },
      {
        from: ['held'],
        to: 'settled',
        set: {
          due_reason: null,
          outcome_reason: choice(isNull(own('donor_id')), 'no_match_known', 'profile_fresh'),
          outcome_at: NOW,
        },
      },
    ],
    otherwise: NOT_ASKED,
  },
  /** `forget` removes the values that donor-sync wrote from the CRM. */
  confirmedErased: ofPerson('settled', {
    eligible: 0,
    due_reason: null,
    outcome_reason: 'forgotten',
    outcome_at: NOW,
  }),
} satisfies Record<string, EventRow>;
