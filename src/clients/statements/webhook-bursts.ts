/** Decides when the runs start that webhooks request. The requests of a burst of calls are combined into one run. */
import { type SqlBool, sql } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { databaseTime, isPostgres, serverTime } from '../../database/database-time.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import type { NewRunRequest } from '../../sync/statements/request-rows.ts';

/**
 * How long a burst lasts after its last call. A run that finds little to do is over before the next call of a burst
 * arrives. So the first call starts a run immediately, and the calls within this time are combined into one more run.
 * All of this is in the database and by its clock, because the calls of a burst arrive at several hosts and several
 * workers run them.
 */
export const BURST_MS = 15_000;

/** Records a webhook's request. Returns the earliest time at which its run may start. */
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

/** Records that the run of a webhook's request starts. Further calls lead to the next run. */
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

/** The current time, and the latest plausible time (epoch ms). Used only if the database has no clock. */
export type ReadyAt = { now: number; latest: number };

/**
 * True if the run may start. A time that is too far in the future is from before the clock was set back, and no longer
 * counts.
 */
export function isReady(reader: Reader, slots: Slots<ReadyAt>) {
  const [now, latest] = isPostgres(reader)
    ? [serverTime(0), serverTime(BURST_MS)]
    : [slots.now, slots.latest];
  return sql<SqlBool>`not (not_before > ${now} and not_before <= ${latest})`;
}
