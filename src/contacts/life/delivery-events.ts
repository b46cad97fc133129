/** Events of writing a profile into the CRM. */
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
 * If an objection was read while the job was running, the contact stays marked as objecting. Its profile is then
 * deleted immediately and not after 30 days.
 */
const STILL_OPTED_OUT = choice(
  all(equal(given('outcome_reason'), 'opted_out'), equal(own('has_opted_out'), OBJECTS)),
  OBJECTS,
  OPTED_OUT,
);

export const DELIVERY_EVENTS = {
  delivered: {
    ...ofProfile('settled', {
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
  heldAtDelivery: ofProfile('held', {}, ['ready', 'held']),
  postponed: ofProfile(null, {}),
  // The contact keeps its job. If it comes back, its profile is already paid for.
  leftOutAtDelivery: ofProfile('settled', { eligible: 0, has_opted_out: STILL_OPTED_OUT }),
  goneAtDelivery: ofProfile('removed', { eligible: 0, missing_since: null }),
  missedAtDelivery: ofProfile(null, MISSED),
} satisfies Record<string, EventRow>;
