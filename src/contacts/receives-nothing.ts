import type { OutcomeReason } from '../core/outcome.ts';
import type { ContactRecord } from './contacts.ts';

/** Marks in the CRM, excluding opt-outs. Contacts with such a mark are not sent and receive no profile. */
export const RECEIVES_NOTHING = [
  'deceased',
  'do_not_contact',
  'mark_unknown',
] as const satisfies readonly OutcomeReason[];

/** True if the last reading found such a mark. */
export function receivesNothing({
  eligible,
  outcomeReason,
}: Pick<ContactRecord, 'eligible' | 'outcomeReason'>): boolean {
  const reasons: readonly string[] = RECEIVES_NOTHING;
  return eligible !== 1 && reasons.includes(outcomeReason);
}
