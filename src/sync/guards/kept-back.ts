/** Decides whether a contact's page and the networks may show the contact's data. No other code makes this decision. */
import type { RecordLookup } from '../../../connectors/contract.ts';
import type { ContactRecord } from '../../contacts/contacts.ts';
import { isOutcomeReason } from '../../core/outcome.ts';
import type { RedeliveryExclusion } from '../../fields/redelivery-view.ts';
import { getRefusal } from '../plan.ts';

/**
 * Returns the reason why a page may not show a contact's profile and introductions. Returns null if the page may show
 * them. `lookup` is the contact's current record in the CRM, or undefined if it was not read.
 */
export function findKeptBack(
  contact: ContactRecord,
  lookup: RecordLookup | undefined,
  isOutside = false,
): RedeliveryExclusion | null {
  if (contact.hasOptedOut !== 0) return 'opted_out';
  const now = lookup?.state === 'found' ? lookup.contact : null;
  if (now?.objects === true) return 'opted_out';
  const refusal = now === null ? null : getRefusal(now);
  if (refusal !== null) return refusal;
  if (isOutside) return 'outside_filter';
  if (contact.state === 'removed') {
    return contact.mergedInto === null ? 'deleted_in_crm' : 'merged_in_crm';
  }
  if (contact.state === 'held') return 'decision_pending';
  if (lookup !== undefined && lookup.state !== 'found') return 'contacts_missing';
  const { eligible, outcomeReason } = contact;
  return eligible !== 1 && isOutcomeReason(outcomeReason) ? outcomeReason : null;
}
