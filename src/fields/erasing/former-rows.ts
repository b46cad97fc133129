/**
 * Finds the former rows of a contact in a list. Some lists give their contacts other IDs, and the values that
 * donor-sync wrote into a former row move along. The store records them under the former ID.
 */

import { findContacts } from '../../contacts/contacts.ts';
import { splitIntoBatches } from '../../core/parallel.ts';
import {
  fingerprintPerson,
  joinedFingerprints,
  type PersonFingerprints,
  storedPersonFingerprints,
} from '../../identity/person-fingerprints.ts';
import { findContactsAlike } from '../../privacy/statements/known-contacts.ts';
import type { SyncDeps } from '../../sync/control/context.ts';

/**
 * Returns the IDs of contacts that the list no longer contains and that may be the same person. A run may not
 * have recorded yet that this contact continues them. A CRM that reports removals does not change its IDs.
 * `forms` are the forms of the contact's ID, the canonical form first.
 */
export async function findFormerRows(
  { store, connector }: Pick<SyncDeps, 'store' | 'connector'>,
  integrationId: string,
  forms: readonly string[],
): Promise<string[]> {
  if (connector.capabilities.reportsRemovals) return [];
  const person = await findPerson({ store, connector }, integrationId, forms);
  if (person === null) return [];
  const alike = await findContactsAlike(store, person, [integrationId]);
  const others = alike.flatMap(({ crmId }) => (forms.includes(crmId) ? [] : crmId));
  const former: string[] = [];
  for (const ids of splitIntoBatches(others, connector.capabilities.readBatch)) {
    const lookups = await connector.readByIds(ids, []);
    // The values of a similar contact that is still in the list have not moved.
    former.push(...lookups.flatMap(({ state, id }) => (state === 'missing' ? id : [])));
  }
  return former;
}

/** The person in the contact's row, as it is now and as it was last read; null if the row is gone. */
async function findPerson(
  { store, connector }: Pick<SyncDeps, 'store' | 'connector'>,
  integrationId: string,
  forms: readonly string[],
): Promise<PersonFingerprints | null> {
  const [lookup] = await connector.readByIds(forms.slice(0, 1), []);
  if (lookup?.state !== 'found') return null;
  let person = fingerprintPerson(store.fingerprint, lookup.contact);
  for (const { identity } of (await findContacts(store.reader, integrationId, forms)).values()) {
    person = joinedFingerprints(person, storedPersonFingerprints(store.fingerprint, identity));
  }
  return person;
}
