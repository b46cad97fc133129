/** Stores each integration's data: its CRM account, its reading position, and its encrypted settings. */

import { sql } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { isPostgres } from '../../database/database-time.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import type { Trx } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';

export interface IntegrationState {
  crmAccount: string | null;
  cursor: string | null;
  /** The last cursor from before the current complete reading. */
  cursorBefore: string | null;
  cursorScope: string | null;
  /** All identity fields that were ever readable, as JSON. Null before the first run. */
  identitySources: string | null;
}

/** Settings that were applied, or removed (null), in the order of the changes. */
export interface ChangedSettings {
  id: string;
  settings: string | null;
  version: number;
}

/** The number of changes that are read together. */
const PAGE = 500;

const SETTINGS_LOCK = 7_021;

const selectState = preparedRead((db, { id }: Slots<{ id: string }>) =>
  db
    .selectFrom('integrations')
    .select(['crm_account', 'cursor', 'cursor_before', 'cursor_scope', 'identity_sources'])
    .where('id', '=', id)
    .compile(),
);

const changedAfter = preparedRead((db, { version, id }: Slots<{ version: number; id: string }>) =>
  db
    .selectFrom('integrations')
    .select(['id', 'settings', 'settings_version as version'])
    .where(sql<boolean>`(settings_version, id) > (${version}, ${id})`)
    .where((eb) => eb.or([eb('settings', 'is not', null), eb('settings_version', '>', 0)]))
    .orderBy('settings_version')
    .orderBy('id')
    .limit(PAGE)
    .compile(),
);

export async function knowsIntegration(reader: Reader, id: string): Promise<boolean> {
  const row = await reader
    .selectFrom('integrations')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findIntegrationState(reader: Reader, id: string): Promise<IntegrationState> {
  const [row] = (await selectState(reader, { id })).rows;
  return {
    crmAccount: row?.crm_account ?? null,
    cursor: row?.cursor ?? null,
    cursorBefore: row?.cursor_before ?? null,
    cursorScope: row?.cursor_scope ?? null,
    identitySources: row?.identity_sources ?? null,
  };
}

/** Counts the contacts whose record has ended since they left the CRM. */
export async function countEndedContacts(reader: Reader, id: string): Promise<number> {
  const row = await reader
    .selectFrom('integrations')
    .select('ended_contacts')
    .where('id', '=', id)
    .executeTakeFirst();
  return Number(row?.ended_contacts ?? 0);
}

/** Lists all integrations that were ever bound to the same CRM account. */
export async function listIntegrationsOfSameAccount(reader: Reader, id: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('integrations')
    .select('id')
    .where('crm_account', '=', (eb) =>
      eb.selectFrom('integrations as self').select('self.crm_account').where('self.id', '=', id),
    )
    .orderBy('id')
    .execute();
  return [...new Set([id, ...rows.map((row) => row.id)])];
}

/** Lists the IDs of the integrations that are bound to the CRM account with this fingerprint. */
export async function listIntegrationsOfAccount(
  reader: Reader,
  crmAccount: string,
): Promise<string[]> {
  const rows = await reader
    .selectFrom('integrations')
    .select('id')
    .where('crm_account', '=', crmAccount)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

export async function saveIdentitySources(
  trx: RunTransaction,
  identitySources: string,
): Promise<void> {
  await trx
    .updateTable('integrations')
    .set({ identity_sources: identitySources })
    .where('id', '=', trx.lease.integrationId)
    .execute();
}

/** Binds the integration to a CRM account, which is given as a fingerprint. */
export async function pinCrmAccount(trx: RunTransaction, crmAccount: string): Promise<void> {
  await trx
    .updateTable('integrations')
    .set({ crm_account: crmAccount })
    .where('id', '=', trx.lease.integrationId)
    .execute();
}

export async function resetCursor(
  trx: RunTransaction,
  scope: string,
  runId: string,
): Promise<void> {
  await trx
    .updateTable('integrations')
    .set((eb) => ({
      scope_since: eb.selectFrom('runs').select('started_at').where('runs.id', '=', runId),
    }))
    .where('id', '=', trx.lease.integrationId)
    .where('cursor_scope', '<>', scope)
    .execute();
  await trx
    .updateTable('integrations')
    .set((eb) => ({
      cursor: null,
      cursor_before: eb.fn.coalesce('cursor', 'cursor_before'),
      cursor_scope: scope,
    }))
    .where('id', '=', trx.lease.integrationId)
    .execute();
}

/** Returns the encrypted settings of the integrations in the database, in the order of their IDs. */
export async function listSealedSettings(
  reader: Reader,
): Promise<{ id: string; settings: string }[]> {
  const rows = await reader
    .selectFrom('integrations')
    .select(['id', 'settings'])
    .where('settings', 'is not', null)
    .orderBy('id')
    .execute();
  return rows.flatMap(({ id, settings }) => (settings === null ? [] : [{ id, settings }]));
}

/** Returns the settings that changed after the given change. If no change is given, returns all stored settings. */
export async function listChangedSettings(
  reader: Reader,
  { version, id }: Omit<ChangedSettings, 'settings'>,
) {
  return (await changedAfter(reader, { version, id })).rows;
}

/** Stores encrypted settings of an integration in the database. */
export async function saveSealedSettings(
  trx: ActorTransaction,
  id: string,
  settings: string,
): Promise<void> {
  const settings_version = await getNextVersion(trx);
  await trx
    .insertInto('integrations')
    .values({ id, settings, settings_version, run_epoch: 0 })
    .onConflict((c) => c.column('id').doUpdateSet({ settings, settings_version }))
    .execute();
  await recordEntry(trx, { action: 'settings.applied', integrationId: id });
}

/**
 * Deletes an integration's settings, its schedule and its queued runs. Keeps the data about the integration's contacts.
 * Returns false if the database contains no settings of the integration.
 */
export async function deleteSettings(trx: ActorTransaction, id: string): Promise<boolean> {
  const removed = await trx
    .updateTable('integrations')
    .set({ settings: null, settings_version: await getNextVersion(trx) })
    .where('id', '=', id)
    .where('settings', 'is not', null)
    .executeTakeFirst();
  if (removed.numUpdatedRows === 0n) return false;
  await trx.deleteFrom('schedules').where('integration_id', '=', id).execute();
  await trx
    .deleteFrom('run_requests')
    .where('integration_id', '=', id)
    .where('left_at', 'is', null)
    .execute();
  await recordEntry(trx, { action: 'settings.removed', integrationId: id });
  return true;
}

/**
 * Returns the number of the next change. Changes are stored one after the other, so that a reader never misses a
 * change.
 */
export async function getNextVersion(trx: Trx): Promise<number> {
  if (isPostgres(trx))
    await sql`select pg_advisory_xact_lock(${sql.lit(SETTINGS_LOCK)})`.execute(trx);
  const { last } = await trx
    .selectFrom('integrations')
    .select((eb) => eb.fn.max('settings_version').as('last'))
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
}
