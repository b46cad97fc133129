/** Stores, finds and deletes paid profiles. */
import { type Selectable, sql } from 'kysely';
import { type ContactRecord, findRows } from '../../contacts/contacts.ts';
import { move } from '../../contacts/life/apply-events.ts';
import { getOutcome, type OutcomeReason } from '../../core/outcome.ts';
import { keepWords, type SealedWords } from '../../database/encryption/foreign-texts.ts';
import { type FromRow, fromRow, fromRows } from '../../database/from-row.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches, inFilledBatches, toValueRows } from '../../database/rows.ts';
import { NEVER_OFFERED } from '../../database/tables/fields.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { closeWrites, type WriteEnd } from './field-end.ts';
import {
  buildKeptUpdate,
  deliverable,
  listCandidates,
  listUnkeptJobs,
} from './later-deliveries.ts';
import { deliverAsLost } from './lost-values.ts';
import { dropNotes, findNotes, putNotes, type ValueNote } from './value-states.ts';

/** A profile that will be stored. */
export interface ProfileToKeep {
  /** The keyed fingerprint of the donor's ID. */
  donor: string;
  /** The encrypted key and the part for rankings. Empty if the profile is not stored. */
  key: string;
  profile: string;
  paidAt: number;
  fieldMap: string;
  values: readonly ValueNote[];
}

export interface KeptDelivery extends ProfileToKeep {
  crmId: string;
  trackingId: string;
  /** True after the profile was delivered. False while the profile waits, or if the contact opted out. */
  isDelivered: boolean;
}

export type KeptRecord = FromRow<Selectable<Tables['kept_profiles']>>;

/** A field map with which profiles were offered. */
export interface OfferedMap {
  fieldMap: string;
  lines: readonly string[];
}

/** A stored profile, and its values that are not in the CRM. */
export interface KeptOfContact {
  kept: KeptRecord;
  contact: ContactRecord;
  job: FromRow<Selectable<Tables['jobs']>>;
  values: readonly ValueNote[];
}

/** A delivered profile that is not stored. The service may still have the result of the profile's job. */
export interface FetchedAgain {
  crmId: string;
  trackingId: string;
  donor: string;
  key: string;
  profile: string;
  /** The time at which the job was submitted. The profile's age starts at this time. */
  submittedAt: number;
}

/** The result of a later delivery. */
export interface LaterEnd extends WriteEnd {
  crmId: string;
  reason: OutcomeReason;
  detail: string | null;
  words: SealedWords | null;
  owned: Readonly<Record<string, string>> | null;
  /** The donor whose values replaced a different donor's values, and the identity. Null if no values were replaced. */
  newDonor: { donorId: string; identity: string } | null;
  /** The fields for which the profile's values were offered again. */
  offered: readonly string[];
  values: readonly ValueNote[];
  fieldMap: string;
  /** True if the result of the write is unknown. The waiting values then continue to wait. */
  isPassing: boolean;
}

/** Lists the field maps. A map without lines means profiles that were never offered. */
export async function listOfferedMaps(
  reader: Reader,
  integrationId: string,
): Promise<OfferedMap[]> {
  const known = await reader
    .selectFrom('field_maps as m')
    .select(['m.field_map', 'm.lines'])
    .where('m.integration_id', '=', integrationId)
    .execute();
  const maps = known.map(({ field_map: fieldMap, lines }) => ({
    fieldMap,
    lines: lines.split(' '),
  }));
  const offered: OfferedMap[] = [];
  // One query per map is faster than reading all profiles.
  for (const map of [{ fieldMap: NEVER_OFFERED, lines: [] }, ...maps]) {
    const one = await reader
      .selectFrom('kept_profiles')
      .select('crm_id')
      .where('integration_id', '=', integrationId)
      .where('field_map', '=', map.fieldMap)
      .where('donor', '<>', '')
      .limit(1)
      .executeTakeFirst();
    if (one !== undefined) offered.push(map);
  }
  return offered;
}

/** Records a field map before a profile is offered with it. */
export async function noteFieldMap(
  trx: RunTransaction,
  { fieldMap, lines }: OfferedMap,
): Promise<void> {
  await trx
    .insertInto('field_maps')
    .values({
      integration_id: trx.lease.integrationId,
      field_map: fieldMap,
      lines: lines.join(' '),
    })
    .onConflict((c) => c.doNothing())
    .execute();
}

/** Returns the delivered profiles of contacts that are at rest, by contact ID, after the given ID. */
export async function listDeliveredProfiles(
  reader: Reader,
  integrationId: string,
  { after, limit, only }: { after: string; limit: number; only: readonly string[] | null },
): Promise<KeptOfContact[]> {
  const rows = await deliverable(reader, integrationId)
    .selectAll('k')
    .where('k.crm_id', '>', after)
    .$if(only !== null, (query) => query.where('k.crm_id', 'in', [...(only ?? [])]))
    .orderBy('k.crm_id')
    .limit(limit)
    .execute();
  return withContacts(reader, integrationId, rows.map(fromRow));
}

/**
 * Returns a page of delivered profiles, and the start of the next page (null at the end). Includes profiles with values
 * that wait for these reasons, profiles that were offered with these maps, and requested profiles.
 */
export async function listFreedProfiles(
  reader: Reader,
  integrationId: string,
  freed: { notes: readonly ValueNote[]; maps: readonly string[]; isRequested: boolean },
  { after, limit }: { after: string; limit: number },
): Promise<{ found: KeptOfContact[]; next: string | null }> {
  const ids = await listCandidates(reader, integrationId, freed, { after, limit });
  const next = ids.length < limit ? null : (ids.at(-1) ?? null);
  if (ids.length === 0) return { found: [], next };
  const rows = await deliverable(reader, integrationId)
    .selectAll('k')
    .where('k.crm_id', 'in', ids)
    .orderBy('k.crm_id')
    .execute();
  return { found: await withContacts(reader, integrationId, rows.map(fromRow)), next };
}

/**
 * Returns contacts with a value that waits for this reason, up to `limit`. The contacts whose last test is oldest come
 * first. If no value of a field is among them, adds one contact for this field, because the CRM decides about each field
 * separately. Leaves out missing contacts, because a write to a missing contact shows nothing about the CRM's rules.
 */
export async function listProfilesToProbe(
  reader: Reader,
  integrationId: string,
  { state, code, fields }: Pick<ValueNote, 'state' | 'code'> & { fields: readonly string[] },
  { before, limit }: { before: number; limit: number },
): Promise<KeptOfContact[]> {
  const found = await findLongestUntested(fields, limit);
  const isTested = (field: string) =>
    found.some(({ values }) =>
      values.some((value) => value.field === field && value.state === state && value.code === code),
    );
  for (const field of fields) {
    if (!isTested(field)) found.push(...(await findLongestUntested([field], 1)));
  }
  return found;

  async function findLongestUntested(of: readonly string[], most: number) {
    const ids = await deliverable(reader, integrationId)
      .innerJoin('value_states as v', (join) =>
        join.onRef('v.integration_id', '=', 'k.integration_id').onRef('v.crm_id', '=', 'k.crm_id'),
      )
      .select('k.crm_id')
      .select((eb) => eb.fn.max(eb.fn.coalesce('v.probed_at', sql.lit(0))).as('probed'))
      .where('c.missing_since', 'is', null)
      .where('v.integration_id', '=', integrationId)
      .where('v.state', '=', state)
      .where('v.code', '=', code)
      .where('v.field', 'in', of)
      .where('v.since', '<', before)
      .where((eb) => eb(eb.fn.coalesce('v.probed_at', sql.lit(0)), '<', before))
      .groupBy('k.crm_id')
      .orderBy('probed')
      .orderBy('k.crm_id')
      .limit(most)
      .execute();
    const rows = await listKept(
      reader,
      integrationId,
      ids.map(({ crm_id }) => crm_id),
    );
    return withContacts(reader, integrationId, rows);
  }
}

/** Returns enhanced contacts without a stored profile. Includes the job that returned the profile. */
export async function listUnkeptProfiles(
  reader: Reader,
  integrationId: string,
  page: { after: string; limit: number; only: readonly string[] | null },
): Promise<Pick<KeptOfContact, 'contact' | 'job'>[]> {
  const jobs = await listUnkeptJobs(reader, integrationId, page);
  const contacts = await findRows(
    reader,
    integrationId,
    jobs.map(({ crmId }) => crmId),
  );
  return jobs.flatMap((job) => {
    const contact = contacts.get(job.crmId);
    return contact === undefined ? [] : [{ job, contact: fromRow(contact) }];
  });
}

export async function findProfilesOfJobs(
  reader: Reader,
  integrationId: string,
  trackingIds: readonly string[],
): Promise<Map<string, KeptRecord>> {
  const found = new Map<string, KeptRecord>();
  for (const batch of inFilledBatches(trackingIds)) {
    const rows = await reader
      .selectFrom('kept_profiles')
      .selectAll()
      .where('integration_id', '=', integrationId)
      .where('tracking_id', 'in', batch)
      .where('profile', '<>', '')
      .execute()
      .then(fromRows);
    for (const row of rows) found.set(row.trackingId, row);
  }
  return found;
}

/** Records which values the CRM now contains and which values still wait. */
export async function recordLaterDeliveries(
  trx: RunTransaction,
  runId: string,
  ends: readonly LaterEnd[],
): Promise<void> {
  const run = { id: runId, now: trx.clock.now() };
  await recordOwned(trx, ends, run.now);
  await closeWrites(trx, ends);
  const telling = ends.filter(({ reason }) => getOutcome(reason) !== 'unchanged');
  const outcomes = telling.map(({ crmId, reason, detail }) => ({
    crm_id: crmId,
    outcome_reason: reason,
    outcome_detail: detail,
  }));
  await move(trx, trx.lease, 'deliveredLater', outcomes, run);
  const words = ends.flatMap((end) => end.words ?? []);
  await keepWords(trx, trx.lease.integrationId, run, words);
  const settled = ends.filter(({ isPassing }) => !isPassing);
  await recordSettled(trx, run.now, settled);
}

export async function noteGoneProfiles(
  trx: RunTransaction,
  crmIds: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(crmIds)) {
    await buildKeptUpdate(trx, trx.lease.integrationId, batch)
      .set({ gone_at: trx.clock.now(), requested: null })
      .execute();
  }
}

/** Stores profiles that were fetched again after their delivery. The age of these profiles remains the same. */
export async function keepProfilesAgain(
  trx: RunTransaction,
  fetched: readonly FetchedAgain[],
): Promise<void> {
  const deliveries = fetched.map(({ submittedAt, ...each }) => ({
    ...each,
    paidAt: submittedAt,
    isDelivered: true,
    fieldMap: NEVER_OFFERED,
    values: [],
  }));
  await insertKept(trx, trx.lease.integrationId, deliveries);
}

/**
 * Updates the profiles of contacts that have left, at the start of a run. If a contact returns, its profile is offered
 * as new and its status is read again. After a merge, only the remaining contact has the profile. Called once per run.
 */
export async function noteDepartedProfiles(trx: RunTransaction): Promise<void> {
  const { integrationId } = trx.lease;
  const removed = trx
    .selectFrom('contacts')
    .select('crm_id')
    .where('integration_id', '=', integrationId)
    .where('state', '=', 'removed');
  await deliverAsLost(trx, integrationId, removed);
  for (const table of ['value_states', 'kept_profiles'] as const) {
    await trx
      .deleteFrom(table)
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', (eb) =>
        eb
          .selectFrom('contacts as c')
          .innerJoin('kept_profiles as k', (join) =>
            join
              .onRef('k.integration_id', '=', 'c.integration_id')
              .onRef('k.crm_id', '=', 'c.crm_id'),
          )
          .innerJoin('jobs as j', 'j.tracking_id', 'k.tracking_id')
          .select('c.crm_id')
          .where('c.integration_id', '=', integrationId)
          .where('c.state', '=', 'removed')
          .where('c.merged_into', 'is not', null)
          .whereRef('j.crm_id', '<>', 'k.crm_id')
          .where('j.state', '=', 'delivered'),
      )
      .execute();
  }
}

/**
 * Lets profiles be offered again after their fields were deleted in the CRM. The values were lost together with the
 * fields.
 */
export async function offerProfilesAgain(
  trx: RunTransaction,
  fieldMaps: readonly string[],
): Promise<void> {
  await trx
    .updateTable('kept_profiles')
    .set({ field_map: NEVER_OFFERED })
    .where('integration_id', '=', trx.lease.integrationId)
    .where('field_map', 'in', fieldMaps)
    .execute();
}

/**
 * Handles records that were restored in the CRM without donor-sync's values. The warm path is written after its next
 * computation.
 */
export async function recordLostValues(
  trx: RunTransaction,
  runId: string,
  crmIds: readonly string[],
): Promise<void> {
  const { integrationId } = trx.lease;
  const lost = crmIds.map((crm_id) => ({ crm_id, owned_values: '{}' }));
  await move(trx, trx.lease, 'valuesWritten', lost, { id: runId, now: trx.clock.now() });
  for (const batch of inFilledBatches(crmIds)) {
    await trx
      .updateTable('warm_paths')
      .set({ told: null })
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .execute();
  }
}

async function listKept(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<KeptRecord[]> {
  if (crmIds.length === 0) return [];
  return reader
    .selectFrom('kept_profiles')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .where('crm_id', 'in', crmIds)
    .execute()
    .then(fromRows);
}

async function withContacts(
  reader: Reader,
  integrationId: string,
  rows: readonly KeptRecord[],
): Promise<KeptOfContact[]> {
  const ids = rows.map(({ crmId }) => crmId);
  const contacts = await findRows(reader, integrationId, ids);
  const values = await findNotes(reader, integrationId, ids);
  const jobs = new Map<string, FromRow<Selectable<Tables['jobs']>>>();
  for (const batch of inFilledBatches(rows.map(({ trackingId }) => trackingId))) {
    const found = await reader
      .selectFrom('jobs')
      .selectAll()
      .where('tracking_id', 'in', batch)
      .execute();
    for (const job of found) jobs.set(job.tracking_id, fromRow(job));
  }
  return rows.flatMap((kept) => {
    const contact = contacts.get(kept.crmId);
    const job = jobs.get(kept.trackingId);
    if (contact === undefined || job === undefined) return [];
    return [{ kept, contact: fromRow(contact), job, values: values.get(kept.crmId) ?? [] }];
  });
}

/** Stores profiles in the transaction that ends their delivery. They replace earlier profiles. */
export async function keepProfiles(
  trx: RunTransaction,
  integrationId: string,
  now: number,
  deliveries: readonly KeptDelivery[],
): Promise<void> {
  const delivered = deliveries.filter(({ isDelivered }) => isDelivered);
  for (const crmIds of inFilledBatches(delivered.map(({ crmId }) => crmId))) {
    await deleteStates(trx, { integrationId, crmIds });
  }
  await insertKept(trx, integrationId, deliveries);
  const notes = delivered.flatMap(({ crmId, values }) => values.map((note) => ({ crmId, note })));
  await putNotes(trx, integrationId, notes, { now });
}

async function insertKept(
  trx: RunTransaction,
  integrationId: string,
  deliveries: readonly KeptDelivery[],
): Promise<void> {
  for (const batch of inBatches(deliveries)) {
    await insertProfiles(trx, {
      cells: batch.flatMap(
        ({ crmId, trackingId, isDelivered, fieldMap, paidAt, donor, key, profile }) => [
          ...[integrationId, crmId, trackingId, isDelivered ? 1 : 0, isDelivered ? fieldMap : ''],
          ...[paidAt, donor, key, profile],
        ],
      ),
    });
  }
}

const deleteStates = prepared(
  (db, { integrationId, crmIds }: Slots<{ integrationId: string; crmIds: readonly string[] }>) =>
    db
      .deleteFrom('value_states')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .compile(),
);

/** The columns of a stored profile. */
const KEPT = [
  ...(['integration_id', 'crm_id', 'tracking_id', 'is_delivered', 'field_map'] as const),
  ...(['kept_at', 'donor', 'key', 'profile'] as const),
] as const;

const insertProfiles = prepared((db, { cells }: Slots<{ cells: readonly (string | number)[] }>) =>
  db
    .insertInto('kept_profiles')
    .columns(KEPT)
    .expression(sql`values ${toValueRows(cells, KEPT.length)}`)
    .onConflict((c) =>
      c.columns(['integration_id', 'crm_id']).doUpdateSet((eb) => ({
        tracking_id: eb.ref('excluded.tracking_id'),
        is_delivered: eb.ref('excluded.is_delivered'),
        field_map: eb.ref('excluded.field_map'),
        kept_at: eb.ref('excluded.kept_at'),
        requested: eb.lit(null),
        gone_at: eb.lit(null),
        donor: eb.ref('excluded.donor'),
        key: eb.ref('excluded.key'),
        profile: eb.ref('excluded.profile'),
      })),
    )
    .compile(),
);

/** Records the values that donor-sync now owns, and a new donor, if any. */
async function recordOwned(
  trx: RunTransaction,
  ends: readonly LaterEnd[],
  now: number,
): Promise<void> {
  const known = ends.flatMap(({ crmId, owned, newDonor }) =>
    owned === null ? [] : [{ crm_id: crmId, owned_values: JSON.stringify(owned), newDonor }],
  );
  const same = known.flatMap(({ newDonor, ...target }) => (newDonor === null ? target : []));
  const replaced = known.flatMap(({ newDonor, ...target }) =>
    newDonor === null
      ? []
      : [{ ...target, values_donor: newDonor.donorId, values_identity: newDonor.identity }],
  );
  await move(trx, trx.lease, 'valuesWritten', same, { now });
  await move(trx, trx.lease, 'valuesOfDonor', replaced, { now });
}

/** Records values whose waiting has ended. Needs only a few statements for any number of values. */
async function recordSettled(
  trx: RunTransaction,
  now: number,
  ends: readonly LaterEnd[],
): Promise<void> {
  const { integrationId } = trx.lease;
  const written = ends.map(({ crmId, offered, values }) => {
    const stillOut = new Set(values.map(({ field }) => field));
    return { crmId, fields: offered.filter((field) => !stillOut.has(field)) };
  });
  await dropNotes(trx, integrationId, written);
  const notes = ends.flatMap(({ crmId, values }) => values.map((note) => ({ crmId, note })));
  await putNotes(trx, integrationId, notes, { now, probedAt: now });
  for (const [fieldMap, some] of Map.groupBy(ends, (end) => end.fieldMap)) {
    for (const batch of inFilledBatches(some.map(({ crmId }) => crmId))) {
      await buildKeptUpdate(trx, integrationId, batch)
        .set({ field_map: fieldMap, requested: null })
        .execute();
    }
  }
}
