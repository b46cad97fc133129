/**
 * Finds a contact's former rows, because some lists change their contacts' IDs. The new row contains the values that
 * donor-sync wrote into the former row. The store has these values under the former ID.
 */

import { type ContactRecord, findContacts } from '../../contacts/contacts.ts';
import { isSuspect, waitsForProfile } from '../../contacts/many-at-once/new-ids.ts';
import { splitIntoBatches } from '../../core/parallel.ts';
import { createIdentityReader } from '../../identity/identity-reader.ts';
import { type ParsedIdentity, parseIdentityText } from '../../identity/identity-text.ts';
import {
  fingerprintPerson,
  joinedFingerprints,
  type PersonFingerprints,
  storedPersonFingerprints,
} from '../../identity/person-fingerprints.ts';
import { findErasures } from '../../privacy/statements/erasures.ts';
import { findContactsAlike } from '../../privacy/statements/known-contacts.ts';
import { findMerges } from '../../privacy/statements/mentions.ts';
import type { SyncDeps } from '../../sync/control/context.ts';

type FormerRowDeps = Pick<SyncDeps, 'store' | 'connector'>;

/**
 * Finds contacts that left the list and may be the same person as a contact. A run may not have recorded the new ID
 * yet. A CRM that reports removals does not change IDs. `forms` starts with the canonical form of the ID.
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
 * Finds former rows that certainly belong to the same person, because a run has recorded the new ID or all details are
 * equal. Runs use this to recognise a contact under a new ID. A similar row may belong to a relative, so only a user
 * can decide to erase it. A list can contain two rows for one person. A former row that continues as the second row is
 * not erased with the first row, even if no run has recorded the second row's new ID yet.
 */
export async function findOwnFormerRows(
  { store, connector }: FormerRowDeps,
  integrationIds: readonly string[],
  forms: readonly string[],
): Promise<string[]> {
  if (connector.capabilities.reportsRemovals) return [];
  const merges = new Map<string, string>();
  for (const id of integrationIds) {
    for (const [part, heir] of await findMerges(store.reader, id)) merges.set(part, heir);
  }
  const { person, identities, rows } = await readRow({ store, connector }, integrationIds, forms);
  const alike = person === null ? [] : await findContactsAlike(store, person, integrationIds);
  const others: ContactRecord[] = [];
  for (const { integration, crmId } of alike) {
    for (const row of (await findContacts(store.reader, integration, [crmId])).values()) {
      const details = parseIdentityText(row.identity);
      const isSame = details !== null && identities.some((each) => haveSameDetails(each, details));
      if (isSame && !forms.includes(crmId)) others.push(row);
    }
  }
  // A row that was merged into a different row continues there, and a row that is still in the list has its own data.
  const missing = new Set(await listMissing(connector, crmIdsOf(others)));
  const former = others.filter(({ crmId }) => missing.has(crmId) && !merges.has(crmId));
  const waiting = others.filter((row) => !missing.has(row.crmId) && waitsForProfile(row));
  const isOthers = waiting.length > 0 && (await hasOwnData(store, integrationIds, rows, forms));
  const continued = continuedBy(waiting, former);
  const own = new Set(
    isOthers ? [] : crmIdsOf(former).filter((crmId) => !continued.includes(crmId)),
  );
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

/**
 * Returns the IDs of the former rows that other rows of the person continue. Each waiting row continues one former row
 * of its integration, and the former rows with the latest payments come first, as in a run.
 */
function continuedBy(
  waiting: readonly ContactRecord[],
  former: readonly ContactRecord[],
): readonly string[] {
  const byIntegration = Map.groupBy(waiting, ({ integrationId }) => integrationId);
  return [...byIntegration].flatMap(([id, { length }]) => {
    const paid = former.filter((row) => row.integrationId === id && row.askedAt !== null);
    return crmIdsOf(paid.toSorted((a, b) => Number(b.askedAt) - Number(a.askedAt))).slice(
      0,
      length,
    );
  });
}

function crmIdsOf(rows: readonly ContactRecord[]): string[] {
  return rows.map(({ crmId }) => crmId);
}

/**
 * True if the contact does not continue any former row. The contact's own ID was paid for, or the contact is or may be an
 * erased person. In the second case, the data under the person's former ID has already been erased.
 */
async function hasOwnData(
  store: FormerRowDeps['store'],
  integrationIds: readonly string[],
  rows: readonly ContactRecord[],
  forms: readonly string[],
): Promise<boolean> {
  if (rows.some((row) => row.askedIdentity !== null || isSuspect(row))) return true;
  return (await findErasures(store, integrationIds, forms)).length > 0;
}

/** Returns the IDs that are not in the list. */
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

/**
 * Reads the contact's current row and its row at the last reading. Returns an empty result if the row no longer exists.
 */
async function readRow(
  { store, connector }: FormerRowDeps,
  integrationIds: readonly string[],
  forms: readonly string[],
): Promise<{
  person: PersonFingerprints | null;
  identities: ParsedIdentity[];
  rows: ContactRecord[];
}> {
  const { reader, fingerprint } = store;
  const [lookup] = await connector.readByIds(forms.slice(0, 1), []);
  if (lookup?.state !== 'found') return { person: null, identities: [], rows: [] };
  const { contact } = lookup;
  let person = fingerprintPerson(fingerprint, contact);
  const texts: string[] = [];
  // If details are unreadable, they may differ from the stored details.
  if ((contact.unreadable ?? []).length === 0) {
    const identities = createIdentityReader({ fingerprint, shape: null, known: [] });
    texts.push(identities.read(contact).text());
  }
  const rows: ContactRecord[] = [];
  for (const id of integrationIds) {
    rows.push(...(await findContacts(reader, id, forms)).values());
  }
  for (const { identity } of rows) {
    person = joinedFingerprints(person, storedPersonFingerprints(fingerprint, identity));
    texts.push(identity);
  }
  return { person, identities: texts.flatMap((text) => parseIdentityText(text) ?? []), rows };
}

/** True if two rows have the same name, addresses and employers. A name alone does not identify a person. */
function haveSameDetails(one: ParsedIdentity, other: ParsedIdentity): boolean {
  if (one.addresses.fingerprint + one.employers.fingerprint === '') return false;
  return (
    one.name === other.name &&
    one.addresses.fingerprint === other.addresses.fingerprint &&
    one.employers.fingerprint === other.employers.fingerprint
  );
}
