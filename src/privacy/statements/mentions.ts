/**
 * Finds CRM values that name a donor. Returns the writes that contain these values, and the fields that can contain
 * them. Ignores the current settings.
 */
import { sql } from 'kysely';
import { z } from 'zod';
import { move } from '../../contacts/life/apply-events.ts';
import { type OwnedValues, parseOwned } from '../../contacts/owned-values.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { WriteState } from '../../database/tables/fields.ts';
import type { Trx } from '../../database/tables/tables.ts';
import type { PersonFingerprints } from '../../identity/person-fingerprints.ts';
import { DONOR_PLACES } from './contact-places.ts';
import { LEFT_STATES, leftContact } from './left-values.ts';

/** The data about a write that an erasure needs. */
export interface WriteOfTexts {
  id: string;
  crmId: string;
  /** Encrypted JSON that maps each field to its previous value. Empty if the previous values were deleted. */
  before: string;
  after: OwnedValues;
  state: WriteState;
  /** The fingerprint of the donor whom the written values name. Empty if the written values name no donor. */
  introducer: string;
  introduced: OwnedValues;
  /** The fingerprints of the words that may name people, for each field. */
  named: OwnedValues;
  /** The fingerprints of the person's name in the profile, or null if the profile has no name. */
  called: string | null;
}

export interface ContactWithWrites {
  crmId: string;
  mergedInto: string | null;
  /** The values in the contact that donor-sync wrote. Empty if the contact is not in the database. */
  owned: OwnedValues;
  writes: readonly WriteOfTexts[];
}

/** A stored profile and its key, both encrypted. */
export interface KeptProfileText {
  crmId: string;
  key: string;
  profile: string;
}

/** A write with a value that contains the name of an erased person. */
export interface NamingWrite {
  id: string;
  introduced: OwnedValues;
}

/**
 * Returns the mark that replaces an erased person's donor in `writes.introducer`. The mark is used for a value that was
 * found only by the person's name.
 */
function namedDonor(fingerprint: Fingerprint): string {
  return fingerprint('introducer', 'an erased person, by name');
}

const CONTACTS_PER_PAGE = 200;

/** The content of `kept_profiles.requested` if a user requested all fields of the profile. */
const ALL_FIELDS = '*';

const fieldNames = z.array(z.string());

const namesSchema = z.object({ names: z.array(z.string()).default([]) });

const personSchema = namesSchema.extend({
  name: z.string(),
  addresses: z.array(z.string()),
  employers: z.array(z.string()),
});

/** Returns the fingerprints in `forgotten.person`, or null if the block has none. */
export function parsePerson(person: string | null): PersonFingerprints | null {
  return person === null ? null : personSchema.parse(JSON.parse(person));
}

/** Returns the names in `forgotten.person`. Each name consists of the fingerprints of its words. */
export function parseNames(person: string | null): string[] {
  return person === null ? [] : namesSchema.parse(JSON.parse(person)).names;
}

const donorsSchema = z.array(z.string());

/** Returns the fingerprints in `forgotten.donors`. */
export function parseDonors(json: string): string[] {
  return donorsSchema.parse(JSON.parse(json));
}

/** Returns the fingerprints of erased donors. Leaves out donors that belong to a contact again. */
export async function listErasedDonors(
  reader: Reader,
  fingerprint: Fingerprint,
  integrationId: string,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('forgotten')
    .select('donors')
    .where('integration_id', '=', integrationId)
    .execute();
  if (rows.length === 0) return [];
  const donors = new Set([
    ...rows.flatMap((row) => parseDonors(row.donors)),
    namedDonor(fingerprint),
  ]);
  const named = await reader
    .selectFrom('writes')
    .select('introducer')
    .distinct()
    .where('integration_id', '=', integrationId)
    .where('introducer', 'in', [...donors])
    .execute();
  if (named.length === 0) return [];
  const living = await reader
    .selectFrom('contacts')
    .select('donor_id')
    .distinct()
    .where('integration_id', '=', integrationId)
    .where('donor_id', 'is not', null)
    .where('state', '<>', 'removed')
    .execute();
  for (const { donor_id } of living) donors.delete(fingerprint('introducer', donor_id ?? ''));
  return named.flatMap(({ introducer }) => (donors.has(introducer) ? introducer : []));
}

/**
 * Returns donors that were erased in an integration or in all accounts, and that belong to no contact of the
 * integration. The service may still have these donors in a network. After a restore, donor-sync does not know which
 * donors have joined the network since the backup.
 */
export async function findErasedDonors(
  reader: Reader,
  fingerprint: Fingerprint,
  integrationId: string,
  donorIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await reader
    .selectFrom('forgotten')
    .select('donors')
    .where((eb) => eb.or([eb('integration_id', '=', integrationId), eb('everywhere', '=', 1)]))
    .execute();
  const donors = new Set(rows.flatMap((row) => parseDonors(row.donors)));
  const erased = new Set(donorIds.filter((id) => donors.has(fingerprint('introducer', id))));
  for (const batch of inFilledBatches([...erased])) {
    const living = await reader
      .selectFrom('contacts')
      .select('donor_id')
      .where('integration_id', '=', integrationId)
      .where('donor_id', 'in', batch)
      .where('state', '<>', 'removed')
      .execute();
    for (const { donor_id } of living) erased.delete(donor_id ?? '');
  }
  return erased;
}

/** Returns all contacts that have writes, in batches. Leaves out the given contacts. */
export async function* listContactsWithWrites(
  reader: Reader,
  fingerprint: Fingerprint,
  integrationId: string,
  except: readonly string[],
): AsyncGenerator<ContactWithWrites[]> {
  const own = new Set([...except, ...except.map((id) => leftContact(fingerprint, id))]);
  let after = '';
  for (;;) {
    const page = await reader
      .selectFrom('writes')
      .select('crm_id')
      .distinct()
      .where('integration_id', '=', integrationId)
      .where('crm_id', '>', after)
      .orderBy('crm_id')
      .limit(CONTACTS_PER_PAGE)
      .execute();
    const ids = page.map((row) => row.crm_id);
    const last = ids.at(-1);
    if (last === undefined) return;
    const others = ids.filter((id) => !own.has(id));
    if (others.length > 0) yield await findContactsWithWrites(reader, integrationId, others);
    if (ids.length < CONTACTS_PER_PAGE) return;
    after = last;
  }
}

/** Returns contacts into which donor-sync wrote a value that names one of these donors. */
export async function listNamingContacts(
  reader: Reader,
  integrationId: string,
  donors: readonly string[],
): Promise<string[]> {
  const rows = await reader
    .selectFrom('writes')
    .select('crm_id')
    .distinct()
    .where('integration_id', '=', integrationId)
    .where('introducer', 'in', donors)
    // An `unseen` contact was erased, but the CRM did not show it. donor-sync searches for it again when the CRM shows
    // it.
    .where('state', '<>', 'unseen')
    .orderBy('crm_id')
    .execute();
  return rows.map((row) => row.crm_id);
}

/**
 * Records whether the CRM showed the erased contacts with these fingerprints while donor-sync searched for their
 * values.
 */
export async function recordSeenErased(
  trx: RunTransaction,
  contacts: readonly string[],
  state: (typeof LEFT_STATES)[number],
): Promise<void> {
  if (contacts.length === 0) return;
  await trx
    .updateTable('writes')
    .set({ state })
    .where('integration_id', '=', trx.lease.integrationId)
    .where('crm_id', 'in', contacts)
    .where('state', 'in', LEFT_STATES)
    .execute();
}

/** Returns the contacts that the CRM merged into a different contact, with the different contact's ID. */
export async function findMerges(
  reader: Reader,
  integrationId: string,
): Promise<Map<string, string>> {
  const rows = await reader
    .selectFrom('contacts')
    .select(['crm_id', 'merged_into'])
    .where('integration_id', '=', integrationId)
    .where('merged_into', 'is not', null)
    .execute();
  return new Map(rows.map((row) => [row.crm_id, row.merged_into ?? '']));
}

export async function findContactsWithWrites(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<ContactWithWrites[]> {
  const contacts = new Map<string, { owned: OwnedValues; mergedInto: string | null }>();
  const writes = new Map<string, WriteOfTexts[]>();
  for (const batch of inFilledBatches(crmIds)) {
    const rows = await reader
      .selectFrom('contacts')
      .select(['crm_id', 'owned_values', 'merged_into'])
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .execute();
    for (const row of rows) {
      const owned = parseOwned(row.owned_values);
      contacts.set(row.crm_id, { owned, mergedInto: row.merged_into });
    }
    const written = await reader
      .selectFrom('writes')
      .select(['id', 'crm_id', 'before', 'after', 'state'])
      .select(['introducer', 'introduced', 'named', 'called'])
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .orderBy('id')
      .execute();
    for (const row of written) {
      const write: WriteOfTexts = {
        id: row.id,
        crmId: row.crm_id,
        before: row.before,
        after: parseOwned(row.after),
        state: row.state,
        introducer: row.introducer,
        introduced: row.introduced === null ? {} : parseOwned(row.introduced),
        named: row.named === null ? {} : parseOwned(row.named),
        called: row.called,
      };
      writes.set(row.crm_id, [...(writes.get(row.crm_id) ?? []), write]);
    }
  }
  return crmIds.map((crmId) => ({
    crmId,
    mergedInto: contacts.get(crmId)?.mergedInto ?? null,
    owned: contacts.get(crmId)?.owned ?? {},
    writes: writes.get(crmId) ?? [],
  }));
}

/**
 * Returns the names that the service has for these contacts' donors. Each name consists of the fingerprints of its
 * words.
 */
export async function findNamesOfDonors(
  reader: Reader,
  integrationIds: readonly string[],
  crmIds: readonly string[],
) {
  const rows = await reader
    .selectFrom('writes')
    .select('called')
    .distinct()
    .where('integration_id', 'in', integrationIds)
    .where('crm_id', 'in', crmIds)
    .where('called', 'is not', null)
    .execute();
  return rows.flatMap(({ called }) => called ?? []);
}

/**
 * Returns the names of all people who were erased in an integration. Each name consists of the fingerprints of its
 * words.
 */
export async function findErasedNames(reader: Reader, integrationId: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('forgotten')
    .select('person')
    .where('integration_id', '=', integrationId)
    .where('state', '<>', 'merged')
    .where('person', 'is not', null)
    .execute();
  return rows.flatMap(({ person }) => parseNames(person));
}

/**
 * Adds the mark for erased people to writes that contain an erased person's name. From then on, the mark identifies
 * these writes, even if the erasure fails.
 */
export async function recordNaming(
  trx: ActorTransaction,
  integrationId: string,
  naming: readonly NamingWrite[],
): Promise<void> {
  if (naming.length === 0) return;
  const introducer = namedDonor(trx.fingerprint);
  for (const { id, introduced } of naming) {
    await trx
      .updateTable('writes')
      .set({ introducer, introduced: JSON.stringify(introduced) })
      .where('id', '=', id)
      .where('integration_id', '=', integrationId)
      .execute();
  }
}

/**
 * Records that paid values of these contacts were cleared. donor-sync no longer owns these values. The rest of the
 * stored profile is written into the cleared fields again.
 */
export async function disownCleared(
  trx: RunTransaction,
  cleared: readonly { crmId: string; fields: readonly string[] }[],
) {
  for (const { crmId, fields } of cleared) {
    const row = await trx
      .selectFrom('contacts')
      .select('owned_values')
      .where('integration_id', '=', trx.lease.integrationId)
      .where('crm_id', '=', crmId)
      .executeTakeFirst();
    if (row === undefined) continue;
    const owned = Object.entries(parseOwned(row.owned_values));
    const left = Object.fromEntries(owned.filter(([field]) => !fields.includes(field)));
    const owns = { crm_id: crmId, owned_values: JSON.stringify(left) };
    await move(trx, trx.lease, 'valuesWritten', [owns], { now: trx.clock.now() });
    const kept = await trx
      .selectFrom('kept_profiles')
      .select('requested')
      .where('integration_id', '=', trx.lease.integrationId)
      .where('crm_id', '=', crmId)
      .executeTakeFirst();
    if (kept === undefined || kept.requested === ALL_FIELDS) continue;
    const wanted = kept.requested === null ? [] : fieldNames.parse(JSON.parse(kept.requested));
    await trx
      .updateTable('kept_profiles')
      .set({ requested: JSON.stringify([...new Set([...wanted, ...fields])]) })
      .where('integration_id', '=', trx.lease.integrationId)
      .where('crm_id', '=', crmId)
      .execute();
  }
}

/** Replaces the encrypted previous values of writes. */
export async function replaceBefore(
  trx: RunTransaction,
  writes: readonly { id: string; before: string }[],
): Promise<void> {
  await putBefore(trx, writes);
}

/** Replaces the donors in a restored database. If a process already uses the database, its run repeats this step. */
export async function replaceRestored(
  trx: ActorTransaction,
  integrationId: string,
  {
    writes,
    profiles,
  }: {
    writes: readonly { id: string; before: string }[];
    profiles: readonly (KeptProfileText & { keyBefore: string })[];
  },
): Promise<void> {
  await putBefore(trx, writes);
  await putProfiles(trx, integrationId, profiles);
}

/** Records that the CRM no longer contains the values of these writes. An undo no longer restores these values. */
export async function recordTextsGone(
  trx: RunTransaction,
  writeIds: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(writeIds)) {
    await trx
      .updateTable('writes')
      .set({ introducer: '', introduced: null })
      .where('id', 'in', batch)
      .execute();
  }
}

/** Returns the stored profiles of these contacts. */
export async function findKeptTexts(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<KeptProfileText[]> {
  const rows = await reader
    .selectFrom('kept_profiles')
    .select(['crm_id', 'key', 'profile'])
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', crmIds)
    .where('profile', '<>', '')
    .execute();
  return rows.map(({ crm_id: crmId, key, profile }) => ({ crmId, key, profile }));
}

/** Returns stored profiles of other contacts, in batches. */
export async function* listKeptTexts(
  reader: Reader,
  integrationId: string,
  except: readonly string[],
): AsyncGenerator<KeptProfileText[]> {
  let after = '';
  for (;;) {
    const rows = await reader
      .selectFrom('kept_profiles')
      .select(['crm_id', 'key', 'profile'])
      .where('integration_id', '=', integrationId)
      .where('profile', '<>', '')
      .where('crm_id', '>', after)
      .orderBy('crm_id')
      .limit(CONTACTS_PER_PAGE)
      .execute();
    const found = rows.map((row) => ({
      crmId: row.crm_id,
      key: row.key,
      profile: row.profile,
    }));
    const others = found.filter(({ crmId }) => !except.includes(crmId));
    if (others.length > 0) yield others;
    const last = rows.at(-1);
    if (last === undefined || rows.length < CONTACTS_PER_PAGE) return;
    after = last.crm_id;
  }
}

/** Stores the same profiles without the value. Skips a contact if a newer profile has been stored since then. */
export async function replaceKeptTexts(
  trx: RunTransaction,
  profiles: readonly (KeptProfileText & { keyBefore: string })[],
): Promise<void> {
  await putProfiles(trx, trx.lease.integrationId, profiles);
}
async function putProfiles(
  trx: Trx,
  integrationId: string,
  profiles: readonly (KeptProfileText & { keyBefore: string })[],
): Promise<void> {
  for (const { crmId, key, profile, keyBefore } of profiles) {
    await trx
      .updateTable('kept_profiles')
      .set({ key, profile })
      .where('integration_id', '=', integrationId)
      .where('crm_id', '=', crmId)
      .where('key', '=', keyBefore)
      .execute();
  }
}

async function putBefore(
  trx: Trx,
  writes: readonly { id: string; before: string }[],
): Promise<void> {
  for (const { id, before } of writes) {
    await trx.updateTable('writes').set({ before }).where('id', '=', id).execute();
  }
}

/**
 * Returns fingerprints of the contact's donors, now and at the time of past writes. Leaves out a donor that belongs to
 * a different contact in the CRM.
 */
export async function findDonorFingerprints(
  reader: Reader,
  fingerprint: Fingerprint,
  integrationIds: readonly string[],
  crmIds: readonly string[],
): Promise<string[]> {
  const own = new Set<string>();
  for (const { table, column, says } of DONOR_PLACES) {
    if (says.form !== 'id' || says.of !== 'contact') continue;
    const { rows } = await sql<{ donor: string }>`
      select distinct ${sql.ref(column)} as donor from ${sql.table(table)}
      where integration_id in (${sql.join(integrationIds)}) and crm_id in (${sql.join(crmIds)})
        and ${sql.ref(column)} is not null`.execute(reader);
    for (const { donor } of rows) own.add(donor);
  }
  if (own.size === 0) return [];
  const others = await reader
    .selectFrom('contacts')
    .select('donor_id')
    .where('integration_id', 'in', integrationIds)
    .where('donor_id', 'in', [...own])
    .where('crm_id', 'not in', [...crmIds])
    .where('state', '<>', 'removed')
    .execute();
  for (const { donor_id } of others) own.delete(donor_id ?? '');
  return [...own].map((donor) => fingerprint('introducer', donor)).sort();
}
