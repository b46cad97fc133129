/**
 * Avoids spending credits on contacts that `contacts.filter` no longer includes. CRMs do not report when a contact no
 * longer matches the filter.
 */

import type { ContactRecord } from '../../contacts/contacts.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { lookUpIncluded } from '../control/look-up.ts';

/**
 * Returns the contacts that the filter no longer includes. Returns an empty list if there is no filter, or if the CRM
 * cannot apply the filter to single contacts.
 */
export async function findOutside(
  { connector }: Pick<SyncDeps, 'connector'>,
  { integration }: Pick<Run, 'integration'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (integration.contacts.filter === null || ids.length === 0) return new Set();
  const included = await lookUpIncluded(connector, ids);
  return new Set(ids.filter((id) => included?.has(id) === false));
}

/**
 * True if the filter may exclude the contact. False for contacts that this run has read, because the CRM has already
 * applied the filter to them.
 */
export function mayBeOutside(
  { id, named }: Pick<Run, 'id' | 'named'>,
  { crmId, seenRun }: Pick<ContactRecord, 'crmId' | 'seenRun'>,
): boolean {
  return seenRun !== id || named?.has(crmId) === true;
}
