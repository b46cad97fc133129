/** Stores queries that may cost credits. A query is stored before it is sent, and until its cost is known. */

import type { Selectable } from 'kysely';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { addQueryCost } from './credit-spans.ts';

export type QueryRecord = FromRow<Selectable<Tables['query_intents']>>;

export type QueryIntent = Pick<QueryRecord, 'id' | 'runId' | 'bucket' | 'credits'>;

/** The cost of queries, and the bucket that pays for them. */
export interface QueryCharge {
  bucket: string;
  credits: number;
}

/**
 * Stores a query before it is sent. `balanceFor` returns the balance after this spending, in which open queries count
 * in full. If it returns null, nothing is stored or spent. Resolves with the cost of the run's earlier queries.
 */
export async function recordQueryIntent(
  trx: RunTransaction,
  { id, runId, bucket, credits }: QueryIntent,
  balanceFor: (thisRun: number) => number | null,
): Promise<{ recorded: boolean; thisRun: number }> {
  const thisRun = await spentByRun(trx, runId);
  const balance = balanceFor(thisRun);
  if (balance === null) return { recorded: false, thisRun };
  await trx
    .insertInto('query_intents')
    .values({
      id,
      bucket,
      credits,
      run_id: runId,
      integration_id: trx.lease.integrationId,
      balance_before: balance,
      intended_at: trx.clock.now(),
    })
    .execute();
  return { recorded: true, thisRun };
}

/** Records the total cost of a run's queries. */
export async function closeQueries(
  trx: RunTransaction,
  runId: string,
  ids: readonly string[],
  charge: QueryCharge,
): Promise<void> {
  await trx.deleteFrom('query_intents').where('id', 'in', ids).execute();
  if (charge.credits === 0) return;
  const cost = { credits: charge.credits, at: trx.clock.now() };
  await addQueryCost(trx, trx.lease.integrationId, cost);
  await trx
    .insertInto('warm_path_costs')
    .values({ run_id: runId, ...charge })
    .onConflict((c) =>
      c.column('run_id').doUpdateSet((eb) => ({
        bucket: charge.bucket,
        credits: eb('warm_path_costs.credits', '+', charge.credits),
      })),
    )
    .execute();
}

export async function listOpenQueries(
  reader: Reader,
  integrationId: string,
): Promise<QueryRecord[]> {
  const rows = await reader
    .selectFrom('query_intents')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .orderBy('intended_at')
    .orderBy('id')
    .execute();
  return fromRows(rows);
}

async function spentByRun(trx: RunTransaction, runId: string): Promise<number> {
  const open = await trx
    .selectFrom('query_intents')
    .select((eb) => eb.fn.sum('credits').as('credits'))
    .where('run_id', '=', runId)
    .executeTakeFirst();
  const known = await trx
    .selectFrom('warm_path_costs')
    .select('credits')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return Number(open?.credits ?? 0) + Number(known?.credits ?? 0);
}
