/** Stores the set-ups in a browser. */

import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Reader, TimedConnection, TimedReader } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';

export type SetupDraftRecord = FromRow<Selectable<Tables['setup_drafts']>>;

/** The time after which a set-up is deleted if no user continues it. */
export const SETUP_KEPT_MS = 30 * 86_400_000;

/** The maximum number of set-ups. Users would never start this many. */
export const MOST_DRAFTS = 200;

/** Stores a new set-up. Returns false if a set-up with this ID already exists. */
export async function beginSetupDraft(
  trx: ActorTransaction,
  integrationId: string,
  draft: string,
): Promise<boolean> {
  const values = { draft, version: 1, updated_at: trx.clock.now() };
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('setup_drafts')
    .values({ integration_id: integrationId, ...values })
    .onConflict((c) => c.column('integration_id').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  await recordEntry(trx, { action: 'setup.begun', integrationId });
  return true;
}

/** Replaces a set-up. Returns false if someone has changed or deleted it since it was read. */
export async function saveSetupDraft(
  connection: TimedConnection,
  { integrationId, version, draft }: Omit<SetupDraftRecord, 'updatedAt'>,
): Promise<boolean> {
  const { numUpdatedRows } = await connection
    .updateTable('setup_drafts')
    .set({ draft, version: version + 1, updated_at: connection.clock.now() })
    .where('integration_id', '=', integrationId)
    .where('version', '=', version)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export function findSetupDraft(
  reader: TimedReader,
  integrationId: string,
): Promise<SetupDraftRecord | undefined> {
  return reader
    .selectFrom('setup_drafts')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .where('updated_at', '>', oldest(reader.clock))
    .executeTakeFirst()
    .then(maybeFromRow);
}

/** Lists the set-ups in progress, latest first. */
export async function listSetupDrafts(reader: TimedReader): Promise<SetupDraftRecord[]> {
  const rows = await reader
    .selectFrom('setup_drafts')
    .selectAll()
    .where('updated_at', '>', oldest(reader.clock))
    .orderBy('updated_at', 'desc')
    .limit(MOST_DRAFTS)
    .execute();
  return fromRows(rows);
}

/** True if a user is setting up the client in a browser. */
export async function isBeingSetUp(reader: TimedReader, integrationId: string): Promise<boolean> {
  return (await findSetupDraft(reader, integrationId)) !== undefined;
}

/** Lists the set-up with this ID, even if it is old. */
export async function listSetupDraftsOf(
  reader: Reader,
  integrationId: string,
): Promise<SetupDraftRecord[]> {
  const rows = await reader
    .selectFrom('setup_drafts')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .execute();
  return fromRows(rows);
}

/** Lists the set-ups that no user has continued for too long. */
export async function listOldSetupDrafts(reader: TimedReader): Promise<SetupDraftRecord[]> {
  const rows = await reader
    .selectFrom('setup_drafts')
    .selectAll()
    .where('updated_at', '<=', oldest(reader.clock))
    .execute();
  return fromRows(rows);
}

/** Deletes a set-up. The integration that was created from the set-up is not deleted. */
export async function removeSetupDraft(
  trx: ActorTransaction,
  integrationId: string,
  why: 'finished' | 'dropped' | 'old',
): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('setup_drafts')
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
  if (numDeletedRows === 0n || why === 'finished') return;
  await recordEntry(trx, { action: 'setup.dropped', integrationId, details: { why } });
}

/** True if the database has data about this ID or a set-up uses it. */
export async function isSetupIdTaken(reader: Reader, integrationId: string): Promise<boolean> {
  const [known, draft] = await Promise.all([
    reader
      .selectFrom('integrations')
      .select('id')
      .where('id', '=', integrationId)
      .executeTakeFirst(),
    reader
      .selectFrom('setup_drafts')
      .select('integration_id')
      .where('integration_id', '=', integrationId)
      .executeTakeFirst(),
  ]);
  return known !== undefined || draft !== undefined;
}

/** Returns the time before which set-ups are deleted. */
function oldest(clock: Pick<Clock, 'now'>): number {
  return clock.now() - SETUP_KEPT_MS;
}
