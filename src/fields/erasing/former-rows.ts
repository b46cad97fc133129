/**
 * Finds the former rows of a contact in a list. Some lists give their contacts other IDs, and the values that
 * donor-sync wrote into a former row move along. The store records them under the former ID.
 */

import { findContacts } from '../../contacts/contacts.ts';
import { splitIntoBatches } from '../../core/parallel.ts';
import { createIdentityReader } from '../../identity/identity-reader.ts';
import { type ParsedIdentity, parseIdentityText } from '../../identity/identity-text.ts';
import {
  fingerprintPerson,
  joinedFingerprints,
  type PersonFingerprints,
  storedPersonFingerprints,
} from '../../identity/person-fingerprints.ts';
import { findContactsAlike } from '../../privacy/statements/known-contacts.ts';
import { findMerges } from '../../privacy/statements/mentions.ts';
import type { SyncDeps } from '../../sync/control/context.ts';

type FormerRowDeps = Pick<SyncDeps, 'store' | 'connector'>;

/**
 * Returns the IDs of contacts that the list no longer contains and that may be the same person. A run may not
 * have recorded yet that this contact continues them. A CRM that reports removals does not change its IDs.
 * `forms` are the forms of the contact's ID, the canonical form first.
 */
export async function findFormerRows(
  { store, connector }: FormerRowDeps,
  integrationId: string,
  forms: readonly string[],
): Promise<string[]> {
  if (connector.capabilities.reportsRemovals) return [];
  const { person } = await readRow({ store, connector }, [integrationId], forms);
  if (person === null) return [];
  const alike = await findContactsAlike(store, person, [integrationId]);
  const others = alike.flatMap(({ crmId }) => (forms.includes(crmId) ? [] : crmId));
  // The values of a similar contact that is still in the list have not moved.
  return listMissing(connector, others);
}

/**
 * Returns the IDs of former rows that are certainly the same person, so an erasure covers them. Either a run has
 * recorded that this contact continues them, or they have exactly its details. This also lets a run continue a
 * contact. A row that is only similar can be a relative, and only a user can decide to erase it.
 */
export async function findOwnFormerRows(
  { store, connector }: FormerRowDeps,
  integrationIds: readonly string[],
  forms: readonly string[],
): Promise<string[]> {
  if (connector.capabilities.reportsRemovals) return [];
  const own = new Set<string>();
  const { person, identities } = await readRow({ store, connector }, integrationIds, forms);
  const alike = person === null ? [] : await findContactsAlike(store, person, integrationIds);
  for (const { integration, crmId } of alike) {
    for (const { identity } of (await findContacts(store.reader, integration, [crmId])).values()) {
      const former = parseIdentityText(identity);
      if (former !== null && identities.some((each) => haveSameDetails(each, former))) {
        own.add(crmId);
      }
    }
  }
  const merges: [part: string, heir: string][] = [];
  for (const id of integrationIds) merges.push(...(await findMerges(store.reader, id)));
  const heirs = [...forms, ...own];
  for (let at = 0; at < heirs.length; at += 1) {
    for (const [part, heir] of merges) {
      if (heir !== heirs[at] || heirs.includes(part)) continue;
      own.add(part);
      heirs.push(part);
    }
  }
  return listMissing(
    connector,
    [...own].filter((id) => !forms.includes(id)),
  );
}

/** Returns the IDs that the list does not contain. */
async function listMissing(
  connector: FormerRowDeps['connector'],
  crmIds: readonly string[],
): Promise<string[]> {
  const missing: string[] = [];
  for (const ids of splitIntoBatches(crmIds, connector.capabilities.readBatch)) {
    const lookups = await connector.readByIds(ids, []);
    missing.push(...lookups.flatMap(({ state, id }) => (state === 'missing' ? id : [])));
  }
  return missing;
}

/** The contact's row, as it is now and as it was last read. Without anything if the row is gone. */
async function readRow(
  { store, connector }: FormerRowDeps,
  integrationIds: readonly string[],
  forms: readonly string[],
): Promise<{ person: PersonFingerprints | null; identities: ParsedIdentity[] }> {
  const { reader, fingerprint } = store;
  const [lookup] = await connector.readByIds(forms.slice(0, 1), []);
  if (lookup?.state !== 'found') return { person: null, identities: [] };
  const { contact } = lookup;
  let person = fingerprintPerson(fingerprint, contact);
  const texts: string[] = [];
  // What cannot be read now may be different.
  if ((contact.unreadable ?? []).length === 0) {
    const identities = createIdentityReader({ fingerprint, shape: null, known: [] });
    texts.push(identities.read(contact).text());
  }
  for (const id of integrationIds) {
    for (const { identity } of (await findContacts(reader, id, forms)).values()) {
      person = joinedFingerprints(person, storedPersonFingerprints(fingerprint, identity));
      texts.push(identity);
    }
  }
  return { person, identities: texts.flatMap((text) => parseIdentityText(text) ?? []) };
}

/** True if the name, the addresses and the employers are equal. A name alone does not identify a person. */
function haveSameDetails(one: ParsedIdentity, other: ParsedIdentity): boolean {
  if (one.addresses.fingerprint + one.employers.fingerprint === '') return false;
  return (
    one.name === other.name &&
    one.addresses.fingerprint === other.addresses.fingerprint &&
    one.employers.fingerprint === other.employers.fingerprint
  );
}
