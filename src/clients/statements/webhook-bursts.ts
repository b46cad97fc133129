/** Decides when a run starts that webhooks have requested. Calls in quick succession share one run. */
import { type SqlBool, sql } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { databaseTime, isPostgres, serverTime } from '../../database/database-time.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import type { NewRunRequest } from '../../sync/statements/request-rows.ts';

/**
 * The time after the last call for which further calls are collected. A short run may end before the next call arrives.
 * Therefore, the first call starts a run immediately, and all later calls share one further run. The state is in the
 * database and uses its clock, because several hosts receive calls.
 */
export const BURST_MS = 15_000;

/** Records a call. Returns the earliest time at which its run may start. */
export async function recordCall(
  trx: ActorTransaction,
  { integrationId }: Pick<NewRunRequest, 'integrationId'>,
): Promise<number> {
  const now = databaseTime(trx, trx.clock)(0);
  const hook = await trx
    .updateTable('hooks')
    .set((eb) => ({
      opens_at: sql<number>`case
        when ${eb.ref('called_at')} between ${now} - ${sql.lit(BURST_MS - 1)} and ${now}
        then ${eb.ref('opens_at')} else 0 end`,
      called_at: now,
    }))
    .where('integration_id', '=', integrationId)
    .returning('opens_at')
    .executeTakeFirst();
  return Number(hook?.opens_at ?? 0);
}

/** Records the start of a run that a webhook requested. Further calls request a further run. */
export async function openBurst(trx: RunTransaction, runId: string): Promise<void> {
  await updateBurst(trx, { runId, opensAt: trx.clock.now() + BURST_MS });
}

const updateBurst = prepared((db, { runId, opensAt }: Slots<{ runId: string; opensAt: number }>) =>
  db
    .updateTable('hooks')
    .set({ opens_at: isPostgres(db) ? serverTime(BURST_MS) : opensAt })
    .where('integration_id', 'in', (eb) =>
      eb
        .selectFrom('run_requests')
        .select('integration_id')
        .where('run_id', '=', runId)
        .where('trigger', '=', 'webhook'),
    )
    .compile(),
);

/** Two times by the clock of this process. The query uses them only if the database has no clock. */
export type ReadyAt = { now: number; latest: number };

/**
 * True if the run may start. If the clock was set back, a start time can be too far in the future. The query ignores
 * this start time.
 */
export function isReady(reader: Reader, slots: Slots<ReadyAt>) {
  const [now, latest] = isPostgres(reader)
    ? [serverTime(0), serverTime(BURST_MS)]
    : [slots.now, slots.latest];
  return sql<SqlBool>`not (not_before > ${now} and not_before <= ${latest})`;
}
