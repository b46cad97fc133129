/** Plans later readings, because a CRM's search finds changes only after a while. */

import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import { preparedRead } from '../../database/prepared.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { addRunRequest } from '../../sync/statements/run-requests.ts';

export type RereadRecord = FromRow<Selectable<Tables['rereads']>>;

const selectRereads = preparedRead((db) => db.selectFrom('rereads').selectAll().compile());

/** Plans to read the changes again later, because a webhook call has just arrived. */
export async function planReread(
  connection: TimedConnection,
  integrationId: string,
): Promise<void> {
  const fresh = { called_at: connection.clock.now(), times: 0 };
  await connection
    .insertInto('rereads')
    .values({ integration_id: integrationId, ...fresh })
    .onConflict((c) => c.column('integration_id').doUpdateSet(fresh))
    .execute();
}

export function listRereads(reader: Reader): Promise<RereadRecord[]> {
  return selectRereads(reader, {}).then(({ rows }) => fromRows(rows));
}

/**
 * Requests a run that reads changes. `isLast` marks the last of the planned runs. Does nothing if a different process
 * has requested the run, or if another webhook call has arrived.
 */
export async function requestReread(
  trx: ActorTransaction,
  { integrationId, calledAt, times }: RereadRecord,
  { runId, isLast }: { runId: string; isLast: boolean },
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('rereads')
    .set({ times: times + 1 })
    .where('integration_id', '=', integrationId)
    .where('called_at', '=', calledAt)
    .where('times', '=', times)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  if (isLast) {
    await trx.deleteFrom('rereads').where('integration_id', '=', integrationId).execute();
  }
  const hook = await trx
    .selectFrom('hooks')
    .select('opens_at as notBefore')
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
  const request = { integrationId, contact: null, full: false, runId, ...hook };
  await addRunRequest(trx, { ...request, trigger: 'webhook' });
  await trx.asked(trx, [{ integrationId, isUrgent: true }]);
}

/** Deletes the planned readings of an integration that is no longer in the settings. */
export async function deleteReread(
  connection: TimedConnection,
  integrationId: string,
): Promise<void> {
  await connection.deleteFrom('rereads').where('integration_id', '=', integrationId).execute();
}
