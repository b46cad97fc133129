/** Integrations that are being set up in a browser. */

import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Reader, TimedConnection, TimedReader } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';

export type SetupDraftRecord = FromRow<Selectable<Tables['setup_drafts']>>;

/** A set-up that is not continued for this long is deleted. */
export const SETUP_KEPT_MS = 30 * 86_400_000;

/** A higher number than users would start. */
export const MOST_DRAFTS = 200;

/** Stores a new draft. Returns false if there is already a draft with this ID. */
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

/** Replaces the draft that was read. Returns false if it was changed or deleted in the meantime. */
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

/** Lists the drafts in progress, latest first. */
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

/** Lists the IDs of the integrations that are being set up or changed in a browser. */
export async function listDraftIds(reader: TimedReader): Promise<string[]> {
  const rows = await reader
    .selectFrom('setup_drafts')
    .select('integration_id')
    .where('updated_at', '>', oldest(reader.clock))
    .execute();
  return rows.map(({ integration_id }) => integration_id);
}

/** Lists the draft with this ID, even if it is old. */
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

/** Lists the drafts that users have not continued for too long. */
export async function listOldSetupDrafts(reader: TimedReader): Promise<SetupDraftRecord[]> {
  const rows = await reader
    .selectFrom('setup_drafts')
    .selectAll()
    .where('updated_at', '<=', oldest(reader.clock))
    .execute();
  return fromRows(rows);
}

/** Deletes a draft. An integration that was created from the draft is not deleted. */
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

/** Drafts from before this instant are deleted. */
function oldest(clock: Pick<Clock, 'now'>): number {
  return clock.now() - SETUP_KEPT_MS;
}
