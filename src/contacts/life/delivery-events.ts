import type { ContactState } from '../../database/tables/contacts.ts';
import { OBJECTS } from '../many-at-once/opt-outs.ts';
import { all, type Changes, choice, equal, given, NOW, own } from './changes.ts';
import { CREDIT_AT_THE_END } from './credit-events.ts';
import { type EventRow, OF_ITS_JOB, ONLY_ITS_PROFILE } from './event.ts';
import { MISSED } from './leaving-events.ts';
import { OPTED_OUT } from './line-events.ts';
import { outcome } from './outcomes.ts';

function ofProfile(
  to: ContactState | null,
  set: Changes,
  from: readonly ContactState[] = ['ready'],
): EventRow {
  return {
    ways: [
      {
        from,
        to,
        when: OF_ITS_JOB,
        set: { ...outcome(given('outcome_reason'), given('outcome_detail')), ...set },
      },
    ],
    otherwise: ONLY_ITS_PROFILE,
  };
}

/**
 * An objection that was read while the job was running remains in force. Because of the objection, the profile is
 * deleted immediately instead of after 30 days.
 */
const STILL_OPTED_OUT = choice(
  all(equal(given('outcome_reason'), 'opted_out'), equal(own('has_opted_out'), OBJECTS)),
  OBJECTS,
  OPTED_OUT,
);

/**
 * The delivery has found the contact in the CRM. A removed contact counts as present again, so donor-sync notices if it
 * leaves again. A missing contact with an open question stays missing until a reading closes the question.
 */
const FOUND: Changes = {
  departure_read: 0,
  missing_since: choice(equal(own('departure_read'), 1), null, own('missing_since')),
};

export const DELIVERY_EVENTS = {
  delivered: {
    ...ofProfile('settled', {
      ...FOUND,
      eligible: 1,
      last_credit: CREDIT_AT_THE_END,
      donor_id: given('donor_id'),
      enhanced_at: NOW,
      owned_values: given('owned_values'),
      values_donor: given('donor_id'),
      values_identity: given('values_identity'),
      tracking_id: null,
    }),
    endsJob: true,
  },
  heldAtDelivery: ofProfile('held', FOUND, ['ready', 'held']),
  postponed: ofProfile(null, {}),
  // The contact keeps its paid job, so its profile is already paid for if the contact returns.
  leftOutAtDelivery: ofProfile('settled', {
    ...FOUND,
    eligible: 0,
    has_opted_out: STILL_OPTED_OUT,
  }),
  goneAtDelivery: ofProfile('removed', { eligible: 0, missing_since: null }),
  missedAtDelivery: ofProfile(null, MISSED),
} satisfies Record<string, EventRow>;
