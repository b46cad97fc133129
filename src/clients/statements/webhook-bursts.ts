/** When runs begin that webhooks ask for: what a burst of calls asks for becomes one run. */
import { type SqlBool, sql } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { databaseTime, isPostgres, serverTime } from '../../database/database-time.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import type { NewRunRequest } from '../../sync/statements/request-rows.ts';

/**
 * Webhooks come in bursts, and a run that finds little to do is over before the next call arrives.
 * So the first of a burst begins a run at once, and what is called for within this time becomes one
 * run. A burst ends when no call has come for so long. All of it is in the database, by its clock:
 * the calls of a burst come in at several hosts, and its runs are those of several workers.
 */
export const BURST_MS = 15_000;

/** A webhook calls for something; returns before when its run does not begin. */
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

/** The run of a request of webhooks begins: what is called for from now on becomes the next one. */
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

/** When something is ready; only looked at where the database has no time of its own. */
export type ReadyAt = { now: number; latest: number };

/** A time that is too far away is from before the clock was set back, and says nothing any more. */
export function isReady(reader: Reader, slots: Slots<ReadyAt>) {
  const [now, latest] = isPostgres(reader)
    ? [serverTime(0), serverTime(BURST_MS)]
    : [slots.now, slots.latest];
  return sql<SqlBool>`not (not_before > ${now} and not_before <= ${latest})`;
}
