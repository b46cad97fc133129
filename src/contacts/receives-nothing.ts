import type { OutcomeReason } from '../core/outcome.ts';
import type { ContactRecord } from './contacts.ts';

/**
 * The CRM marks that stop donor-sync from sending a contact or writing a profile to it. Opt-outs are not in this list.
 */
export const RECEIVES_NOTHING = [
  'deceased',
  'do_not_contact',
  'mark_unknown',
] as const satisfies readonly OutcomeReason[];

/** True if the last reading found a CRM mark that stops the contact from receiving a profile. */
export function receivesNothing({
  eligible,
  outcomeReason,
}: Pick<ContactRecord, 'eligible' | 'outcomeReason'>): boolean {
  const reasons: readonly string[] = RECEIVES_NOTHING;
  return eligible !== 1 && reasons.includes(outcomeReason);
}
