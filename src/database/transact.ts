/**
 * Runs transactions that survive a short outage of the database. Work that was not stored is repeated. If the response
 * to a commit is lost, the outcome is read from the server. Therefore, no work is stored twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from './database-time.ts';
import { RECONNECT_PAUSE_MS } from './guarded-driver.ts';
import { isPassing, isUnconfirmed } from './store-error.ts';
import type { Database, Trx } from './tables/tables.ts';

/** The duration of a lease without a checkpoint or a renewal. A transaction is retried for the same time. */
export const LEASE_MS = 30_000;

/** A transaction's number on a Postgres server, as text. Null on SQLite. */
export type TransactionId = string | null;

/**
 * Selects the number of the transaction, so that its outcome can be read later. Use this only in a transaction that
 * writes, because other transactions have no number.
 */
export function transactionId(db: Database | Trx): RawBuilder<TransactionId> {
  return isPostgres(db) ? sql<TransactionId>`pg_current_xact_id()::text` : sql<TransactionId>`null`;
}

/**
 * Runs a transaction. While the database is unavailable, retries for `patienceMs`, so `work` must have no effects
 * outside the transaction. If the response to the commit is lost, the outcome is read from the server. For this, `work`
 * must pass its `transactionId` to `name`. Otherwise, rejects with `database_commit_unconfirmed`.
 */
export async function transact<Result>(
  db: Database,
  patienceMs: number,
  work: (trx: Trx, name: (id: TransactionId) => void) => Promise<Result>,
): Promise<Result> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const attempt: { id: TransactionId; done: { result: Result } | null } = {
      id: null,
      done: null,
    };
    try {
      return await db.transaction().execute(async (trx) => {
        const result = await work(trx, (id) => {
          attempt.id = id;
        });
        attempt.done = { result };
        return result;
      });
    } catch (error) {
      const isKept = await wasKept(db, error, attempt.id, until);
      if (isKept && attempt.done) return attempt.done.result;
      if (isKept !== false || performance.now() >= until) throw error;
    }
    await sleep(RECONNECT_PAUSE_MS);
  }
}

/** Retries a statement that may be executed twice. `isRepeated` decides which errors are retried. */
export async function again<Result>(
  patienceMs: number,
  work: () => Promise<Result>,
  isRepeated: (error: unknown) => boolean = isPassing,
): Promise<Result> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isRepeated(error) || performance.now() >= until) throw error;
    }
    await sleep(RECONNECT_PAUSE_MS);
  }
}

/**
 * Returns false if nothing was stored, so that the work may be repeated. Returns null if this is unknown or the work
 * must not be repeated.
 */
async function wasKept(
  db: Database,
  error: unknown,
  id: TransactionId,
  until: number,
): Promise<boolean | null> {
  if (isPassing(error)) return false;
  if (!isUnconfirmed(error) || id === null) return null;
  for (;;) {
    const status = await again(until - performance.now(), () => readTransactionStatus(db, id));
    if (status === 'committed') return true;
    if (status === 'aborted') return false;
    // The server has not noticed the lost connection yet, so the commit may still be in progress.
    if (status !== 'in progress' || performance.now() >= until) return null;
    await sleep(RECONNECT_PAUSE_MS);
  }
}

/** Reads the status of a transaction from the server. Returns null if the server no longer knows the transaction. */
async function readTransactionStatus(db: Database, id: string): Promise<string | null> {
  const { rows } = await sql<{ status: string | null }>`
    select pg_xact_status(${id}::xid8) as status`.execute(db);
  return rows[0]?.status ?? null;
}
