import type { OutcomeReason } from '../core/outcome.ts';
import type { ContactRecord } from './contacts.ts';

/**
 * Marks in the CRM, other than an opt-out, because of which a contact receives nothing and is not sent to the service.
 */
export const RECEIVES_NOTHING = [
  'deceased',
  'do_not_contact',
  'mark_unknown',
] as const satisfies readonly OutcomeReason[];

/** True if the contact had such a mark when it was last read. */
export function receivesNothing({
  eligible,
  outcomeReason,
}: Pick<ContactRecord, 'eligible' | 'outcomeReason'>): boolean {
  const reasons: readonly string[] = RECEIVES_NOTHING;
  return eligible !== 1 && reasons.includes(outcomeReason);
}
