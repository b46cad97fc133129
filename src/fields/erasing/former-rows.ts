/**
 * Some lists change their contacts' IDs. Our values of the former row are then in the new row. The store has them under
 * the former ID.
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
 * Finds contacts that left the list and may be the same person. No run may have recorded the new ID yet. A CRM that
 * reports removals does not change IDs. `forms` starts with the canonical form of the ID.
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
  // A similar contact that is still in the list keeps its values.
  return listMissing(connector, others);
}

/**
 * Finds former rows that are certainly the same person. A run has recorded the new ID, or all details are equal. Runs
 * use this to recognise a contact under a new ID. A similar row may be a relative, so only a user can decide to erase
 * it.
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

/** The contact's row now and at the last reading. Empty if the row no longer exists. */
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
  // Unreadable details may differ from the stored ones.
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
