/** Records writes into the CRM. For each write, it records the intent, the end and the undo. */

import { type Selectable, sql } from 'kysely';
import { move } from '../../contacts/life/apply-events.ts';
import { type OwnedValues, parseOwned } from '../../contacts/owned-values.ts';
import { keepWords } from '../../database/encryption/foreign-texts.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import { prepared, preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches, inFilledBatches, toValueRows } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { storeTag } from '../../privacy/statements/erasure-log.ts';
import type { WriteLog } from '../../privacy/statements/write-log.ts';
import { countInRun } from '../../sync/statements/run-counts.ts';
import { type RunContext, recordValuesUndone } from '../../sync/statements/runs.ts';
import { type Delivery, recordEnds } from './delivery-ends.ts';
import { recordUndone } from './value-states.ts';

export type WriteRecord = FromRow<Selectable<Tables['writes']>>;

/** A write that is recorded before it is sent. */
export interface IntendedWrite {
  id: string;
  crmId: string;
  /** Encrypted JSON with the previous values. A field without a value was blank, or its value is not stored. */
  before: string;
  after: OwnedValues;
  ownedBefore: OwnedValues;
  /** The donor of the replaced values. Null if they belonged to no other donor. */
  donorBefore: string | null;
  /** The donor of the written profile. Null if no profile is written, for example for a status. */
  donor: string | null;
  /** The fingerprint of the donor whom the written values name. Empty if the written values name no donor. */
  introducer: string;
  /**
   * The fingerprint of the contact's ID. The contact's fingerprint is part of the key for the fingerprints of the
   * contact's values.
   */
  contact: string;
  introduced: OwnedValues;
  named: OwnedValues;
  /** The fingerprints of the donor's own name. Null if no profile is written. */
  called: string | null;
}

/** Values that the CRM may contain, because the result of their write is unknown. */
export interface IntendedValues {
  owned: OwnedValues;
  /** The donor, or null if it is unknown. */
  donor: string | null;
}

/** The values that another run wrote, and the time of the write. */
export interface WriteOfOther {
  after: OwnedValues;
  /** The donor of the profile. Null if no profile was written, for example for a status. */
  donor: string | null;
  writtenAt: number;
}

type WriteStore = Pick<Store, 'reader' | 'fingerprint' | 'checkpoint'> & {
  readonly writeLog: WriteLog;
};

/** Returns the intended values, by CRM ID. */
export async function findIntendedValues(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Map<string, IntendedValues[]>> {
  const found = new Map<string, IntendedValues[]>();
  for (const batch of inFilledBatches(crmIds)) {
    const { rows } = await selectIntended(reader, { integrationId, crmIds: batch });
    for (const row of rows) {
      const values = { owned: parseOwned(row.after), donor: row.donor };
      found.set(row.crm_id, [...(found.get(row.crm_id) ?? []), values]);
    }
  }
  return found;
}

/**
 * Records writes before they are sent, so that donor-sync can recognise and undo each write. A write is first recorded
 * in the log outside the database, which survives a restore.
 */
export async function recordIntendedWrites(
  { reader, fingerprint, checkpoint, writeLog }: WriteStore,
  lease: Lease,
  runId: string,
  writes: readonly IntendedWrite[],
): Promise<void> {
  const store = storeTag(fingerprint);
  await writeLog.append(
    writes.map(({ id, contact, after, introducer, introduced, named }) => ({
      store,
      at: reader.clock.now(),
      id,
      integration: lease.integrationId,
      after,
      introducer,
      contact,
      introduced: Object.keys(introduced).length > 0 ? introduced : null,
      named: Object.keys(named).length > 0 ? named : null,
    })),
  );
  await checkpoint(lease, (trx) => insertIntended(trx, runId, writes));
}

async function insertIntended(
  trx: RunTransaction,
  runId: string,
  writes: readonly IntendedWrite[],
): Promise<void> {
  for (const batch of inBatches(writes)) {
    await insertBatch(trx, {
      cells: batch.flatMap(({ id, crmId, before, after, ownedBefore, ...whose }) => [
        id,
        runId,
        trx.lease.integrationId,
        crmId,
        'intended',
        before,
        JSON.stringify(after),
        JSON.stringify(ownedBefore),
        whose.donorBefore,
        whose.donor,
        whose.introducer,
        jsonOrNull(whose.introduced),
        jsonOrNull(whose.named),
        whose.called,
        trx.clock.now(),
      ]),
    });
  }
}

/** Replaces the stored previous values with the values that users typed before the write. */
export async function recordValuesBefore(
  trx: RunTransaction,
  writes: readonly { id: string; before: string }[],
): Promise<void> {
  for (const { id, before } of writes) {
    await trx
      .updateTable('writes')
      .set({ before })
      .where('id', '=', id)
      .where('integration_id', '=', trx.lease.integrationId)
      .execute();
  }
}

/** Records the outcomes of deliveries, the values that donor-sync now owns, and decisions. */
export async function recordDeliveries(
  trx: RunTransaction,
  runId: string,
  deliveries: readonly Delivery[],
): Promise<void> {
  const run: RunContext = { id: runId, now: trx.clock.now() };
  await recordEnds(trx, trx.lease, run, deliveries);
  const words = deliveries.flatMap((delivery) => delivery.words ?? []);
  await keepWords(trx, trx.lease.integrationId, run, words);
  const profiles = deliveries.filter(({ end }) => end.kind !== 'postponed' || end.enhanced).length;
  await countInRun(trx, runId, { enhanced: profiles });
}

/** Lists a run's writes, newest first. */
export function listWrites(reader: Reader, runId: string): Promise<WriteRecord[]> {
  return selectWritesOf(reader, runId)
    .orderBy('written_at', 'desc')
    .orderBy('id')
    .execute()
    .then(fromRows);
}

/** Returns the write to a contact. Returns undefined if the run wrote nothing to the contact. */
export function findWrite(
  reader: Reader,
  runId: string,
  crmId: string,
): Promise<WriteRecord | undefined> {
  return selectWritesOf(reader, runId)
    .where('crm_id', '=', crmId)
    .orderBy('written_at', 'desc')
    .limit(1)
    .executeTakeFirst()
    .then(maybeFromRow);
}

/** Returns the values of other runs that these contacts still contain, as far as known, by CRM ID. */
export async function findWritesOfOthers(
  reader: Reader,
  { integrationId, runId }: Pick<WriteRecord, 'integrationId' | 'runId'>,
  crmIds: readonly string[],
): Promise<Map<string, WriteOfOther[]>> {
  const found = new Map<string, WriteOfOther[]>();
  for (const batch of inFilledBatches(crmIds)) {
    const rows = await reader
      .selectFrom('writes')
      .select(['crm_id', 'after', 'donor', 'written_at'])
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .where('run_id', '<>', runId)
      .where('state', '=', 'written')
      .execute();
    for (const { crm_id, after, donor, written_at } of rows) {
      const write = { after: parseOwned(after), donor, writtenAt: written_at };
      found.set(crm_id, [...(found.get(crm_id) ?? []), write]);
    }
  }
  return found;
}

/**
 * Records that a write was undone. donor-sync owns the previous values again. Fields in `left` contain the values of a
 * later write. The fields in `left` can be restored after the later write is undone.
 */
export async function recordUndoneWrite(
  trx: RunTransaction,
  write: WriteRecord,
  { owned, left }: { owned: OwnedValues; left: OwnedValues },
): Promise<void> {
  const isWhole = Object.keys(left).length === 0;
  await trx
    .updateTable('writes')
    .set(isWhole ? { state: 'undone' } : { after: JSON.stringify(left) })
    .where('id', '=', write.id)
    .execute();
  const owns = { crm_id: write.crmId, owned_values: JSON.stringify(owned) };
  const moment = { now: trx.clock.now() };
  const fields = Object.keys(parseOwned(write.after)).filter((name) => !(name in left));
  await recordValuesUndone(trx, write.runId, fields.length);
  if (write.donorBefore === null || fields.length === 0) {
    await move(trx, trx.lease, 'valuesWritten', [owns], moment);
  } else {
    // Users have changed the other fields.
    const former = { ...owns, values_donor: write.donorBefore, values_identity: null };
    await move(trx, trx.lease, 'valuesOfDonor', [former], moment);
  }
  await recordUndone(trx, trx.lease.integrationId, trx.clock.now(), {
    crmId: write.crmId,
    fields,
    isProfile: write.donor !== null,
  });
}

/** Counts contacts whose values were all restored. */
export async function countUndoneContacts(reader: Reader, runId: string): Promise<number> {
  const row = await reader
    .selectFrom('writes')
    .select((eb) => eb.fn.count('crm_id').distinct().as('contacts'))
    .where('run_id', '=', runId)
    .where('state', '=', 'undone')
    .where('crm_id', 'not in', (eb) =>
      eb
        .selectFrom('writes as open')
        .select('open.crm_id')
        .where('open.run_id', '=', runId)
        .where('open.state', 'in', ['written', 'intended']),
    )
    .executeTakeFirstOrThrow();
  return Number(row.contacts);
}

function selectWritesOf(reader: Reader, runId: string) {
  return reader
    .selectFrom('writes')
    .selectAll()
    .where('run_id', '=', runId)
    .where('state', 'in', ['written', 'intended']);
}

function jsonOrNull(values: OwnedValues): string | null {
  return Object.keys(values).length > 0 ? JSON.stringify(values) : null;
}

const INTENDED = [
  'id',
  'run_id',
  'integration_id',
  'crm_id',
  'state',
  'before',
  'after',
  'owned_before',
  'donor_before',
  'donor',
  'introducer',
  'introduced',
  'named',
  'called',
  'written_at',
] as const;

const insertBatch = prepared(
  (db, { cells }: Slots<{ cells: readonly (string | number | null)[] }>) =>
    db
      .insertInto('writes')
      .columns(INTENDED)
      .expression(sql`values ${toValueRows(cells, INTENDED.length)}`)
      .compile(),
);

const selectIntended = preparedRead(
  (
    reader,
    { integrationId, crmIds }: Slots<{ integrationId: string; crmIds: readonly string[] }>,
  ) =>
    reader
      .selectFrom('writes')
      .select(['crm_id', 'after', 'donor'])
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', crmIds)
      .where('state', '=', 'intended')
      .compile(),
);
