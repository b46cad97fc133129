/** Stores the webhook addresses. Each integration has at most one webhook address. */

import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';
import type { Database, Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';

export type HookRecord = FromRow<Selectable<Tables['hooks']>>;

export type HookCallRecord = FromRow<Selectable<Tables['hook_calls']>>;

const KEPT_CALLS = 50;

export function findHookByClient(
  reader: Reader,
  integrationId: string,
): Promise<HookRecord | undefined> {
  return reader
    .selectFrom('hooks')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .executeTakeFirst()
    .then(maybeFromRow);
}

export function listHooks(reader: Reader): Promise<HookRecord[]> {
  return reader.selectFrom('hooks').selectAll().orderBy('integration_id').execute().then(fromRows);
}

/** Stores a new address. The previous address becomes invalid immediately. */
export async function saveHook(
  trx: ActorTransaction,
  {
    integrationId,
    tokenHash,
    ...signing
  }: Pick<HookRecord, 'integrationId' | 'tokenHash' | 'signature' | 'secret'>,
): Promise<void> {
  const fresh = {
    ...signing,
    token_hash: tokenHash,
    created_at: trx.clock.now(),
    last_used_at: null,
    ignored_count: 0,
  };

  await trx
    .insertInto('hooks')
    .values({ integration_id: integrationId, ...fresh })
    .onConflict((c) => c.column('integration_id').doUpdateSet(fresh))
    .execute();
  const details = { signature: signing.signature };
  await recordEntry(trx, { action: 'hook.made', integrationId, details });
}

/** Revokes an integration's address. Returns false if the integration has no address. */
export async function revokeHook(trx: ActorTransaction, integrationId: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('hooks')
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await trx.deleteFrom('hook_calls').where('integration_id', '=', integrationId).execute();
  await recordEntry(trx, { action: 'hook.revoked', integrationId });
  return true;
}

export async function recordHookUse(
  connection: TimedConnection,
  integrationId: string,
): Promise<void> {
  await connection
    .updateTable('hooks')
    .set({ last_used_at: connection.clock.now() })
    .where('integration_id', '=', integrationId)
    .execute();
}

export async function recordIgnored(
  connection: Database,
  integrationId: string,
  count: number,
): Promise<void> {
  await connection
    .updateTable('hooks')
    .set((eb) => ({ ignored_count: eb('ignored_count', '+', count) }))
    .where('integration_id', '=', integrationId)
    .execute();
}

/** Records calls. Consecutive calls with the same response share one row. Old rows are deleted. */
export async function recordHookCalls(
  connection: Database,
  { id, integrationId, at, ...call }: HookCallRecord,
): Promise<void> {
  const { lastAt: last_at, times, answer, contacts, runId: run_id } = call;
  await connection
    .insertInto('hook_calls')
    .values({ id, integration_id: integrationId, at, last_at, times, answer, contacts, run_id })
    .onConflict((c) => c.column('id').doUpdateSet({ last_at, times, contacts }))
    .execute();
  await connection
    .deleteFrom('hook_calls')
    .where('integration_id', '=', integrationId)
    .where('id', 'not in', (eb) =>
      eb
        .selectFrom('hook_calls as kept')
        .select('kept.id')
        .where('kept.integration_id', '=', integrationId)
        .orderBy('kept.last_at', 'desc')
        .limit(KEPT_CALLS),
    )
    .execute();
}

/** Returns the last calls, the newest first. */
export async function listHookCalls(
  reader: Reader,
  integrationId: string,
): Promise<HookCallRecord[]> {
  const rows = await reader
    .selectFrom('hook_calls')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .orderBy('last_at', 'desc')
    .limit(KEPT_CALLS)
    .execute();
  return fromRows(rows);
}

/** True if the webhook call was received before. The fingerprint identifies the webhook call. */
export async function isCallReceived(reader: Reader, fingerprint: string): Promise<boolean> {
  const receipt = await reader
    .selectFrom('hook_receipts')
    .select('fingerprint')
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  return receipt !== undefined;
}

/** Records a received call. Calls that are too old are deleted, because they would be refused anyway. */
export async function recordReceivedCall(
  connection: TimedConnection,
  fingerprint: string,
  maxAgeMs: number,
): Promise<void> {
  await connection
    .deleteFrom('hook_receipts')
    .where('received_at', '<', connection.clock.now() - maxAgeMs)
    .execute();
  await connection
    .insertInto('hook_receipts')
    .values({ fingerprint, received_at: connection.clock.now() })
    .onConflict((c) => c.column('fingerprint').doNothing())
    .execute();
}
