import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { type FromRow, fromRow } from '../../database/from-row.ts';
import type { Database, Tables } from '../../database/tables/tables.ts';

export type IdempotencyRecord = FromRow<Selectable<Tables['idempotency_keys']>>;

/** How long a key leads to the run that it led to first. */
const KEY_LIFETIME_MS = 24 * 3_600_000;

/** The keys with which callers ask for the same run again. */
export function idempotencyQueries(db: Database, clock: Clock) {
  return {
    /**
     * What this key led to first: the given run if it is new. `fingerprint` is of integration and
     * key, `request` of what is asked.
     */
    claim(fingerprint: string, request: string, runId: string): Promise<IdempotencyRecord> {
      return db.transaction().execute(async (trx) => {
        await trx
          .deleteFrom('idempotency_keys')
          .where('used_at', '<', clock.now() - KEY_LIFETIME_MS)
          .execute();
        await trx
          .insertInto('idempotency_keys')
          .values({ fingerprint, request, run_id: runId, used_at: clock.now() })
          .onConflict((c) => c.column('fingerprint').doNothing())
          .execute();
        return trx
          .selectFrom('idempotency_keys')
          .selectAll()
          .where('fingerprint', '=', fingerprint)
          .executeTakeFirstOrThrow()
          .then(fromRow);
      });
    },

    /** The run that answers is another one than was thought: one like it waited already. */
    async redirect(fingerprint: string, runId: string): Promise<void> {
      await db
        .updateTable('idempotency_keys')
        .set({ run_id: runId })
        .where('fingerprint', '=', fingerprint)
        .execute();
    },
  };
}
