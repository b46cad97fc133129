/** Stores idempotency keys. With an idempotency key, a caller can repeat a request without starting a second run. */

import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRow } from '../../database/from-row.ts';
import type { TimedConnection } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { findRunById } from '../../sync/statements/runs.ts';

export type IdempotencyRecord = FromRow<Selectable<Tables['idempotency_keys']>>;

/** The lifetime of a key. During this time, the key returns its first run. */
const KEY_LIFETIME_MS = 24 * 3_600_000;

/**
 * Returns the first run of this key. If the key is new, this is the given run. `fingerprint` identifies the integration
 * and the key, and `request` identifies the request's content.
 */
export async function claimIdempotencyKey(
  trx: ActorTransaction,
  fingerprint: string,
  request: string,
  runId: string,
): Promise<IdempotencyRecord> {
  await trx
    .deleteFrom('idempotency_keys')
    .where('used_at', '<', trx.clock.now() - KEY_LIFETIME_MS)
    .execute();
  await trx
    .insertInto('idempotency_keys')
    .values({ fingerprint, request, run_id: runId, used_at: trx.clock.now() })
    .onConflict((c) => c.column('fingerprint').doNothing())
    .execute();
  return trx
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirstOrThrow()
    .then(fromRow);
}

/**
 * Returns the run that already carries out the request with this run ID, or null if no run has been requested with this
 * ID yet. Two simultaneous requests with one key have the same run ID, so the second one waits here until the first one
 * is stored.
 */
export async function findRequestedRun(
  trx: ActorTransaction,
  runId: string,
): Promise<string | null> {
  await trx
    .updateTable('idempotency_keys')
    .set((eb) => ({ used_at: eb.ref('used_at') }))
    .where('run_id', '=', runId)
    .execute();
  const request = await trx
    .selectFrom('run_requests')
    .select('merged_into')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  if (request !== undefined) return request.merged_into ?? runId;
  return (await findRunById(trx, runId))?.id ?? null;
}

/** Records that a different run carries out the request, because an equal run was already waiting. */
export async function redirectIdempotencyKey(
  connection: TimedConnection,
  fingerprint: string,
  runId: string,
): Promise<void> {
  await connection
    .updateTable('idempotency_keys')
    .set({ run_id: runId })
    .where('fingerprint', '=', fingerprint)
    .execute();
}
