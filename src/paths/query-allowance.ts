/**
 * Limits the cost of a run's queries. The service document does not state their price (section 4.1). The client
 * measures the price with the first query, and assumes one credit until then. Each query is recorded on disk before it
 * is sent. If its response is lost, the next run's first balance shows the cost.
 */

import { type Allowance, getAllowance } from '../credits/budget.ts';
import { judgeLosses } from '../credits/judge-lost-responses.ts';
import { closeQueries, listOpenQueries, recordQueryIntent } from '../credits/statements/queries.ts';
import type { Bucket } from '../partner/buckets.ts';
import type { CreditBalances } from '../partner/credits.ts';
import type { InsightDeps, InsightRun } from './insight-deps.ts';

/** The bucket that the service will most likely charge for a query. The first query shows the correct bucket. */
const EXPECTED = { bucket: 'searches', credits: 1 } as const satisfies {
  bucket: Bucket;
  credits: number;
};

/** A query that the run may send. */
export interface IntendedQuery {
  /** The ID of the recorded intent. */
  id: string;
  /** True if the service certainly charges nothing for the query. A free query has no recorded intent. */
  isFree: boolean;
}

/** Allows queries while the settings and the bucket allow them. */
export interface QueryAllowance {
  /** Records a query's intent. If the run may send no more queries, returns the reason. */
  intend(): Promise<IntendedQuery | Allowance>;
  /** Records that the response arrived. If the price is not known yet, the next balance shows it. */
  accept(query: IntendedQuery): Promise<void>;
  /** Records that the service refused the query and charged nothing (section 4.5, rule 5). */
  refuse(query: IntendedQuery): Promise<void>;
}

/** Creates the allowance of a run. The first query must be sent alone, because its price is still unknown. */
export function createQueryAllowance(deps: InsightDeps, run: InsightRun): QueryAllowance {
  const { store, partner, newId } = deps;
  const { perRun, keep } = run.integration.insights.budget;
  let reading: Promise<Reading> | null = null;

  function costNow() {
    const cost = partner.connections.queryCost('compare');
    return cost === undefined ? EXPECTED : cost;
  }

  return {
    async intend() {
      const cost = costNow();
      if (cost === null) return { id: '', isFree: true };
      const { bucket, credits } = cost;
      reading ??= readAndProve(deps, run);
      const { balances, unproven } = await reading;
      const id = newId();
      const balanceFor = (thisRun: number) =>
        balances[bucket] - (unproven.get(bucket) ?? 0) - thisRun;
      const allowanceFor = (thisRun: number) =>
        getAllowance(
          { perRun, perMonth: null, keep },
          { thisRun, thisMonth: 0, balance: balanceFor(thisRun) },
          { bucket, setting: 'insights.budget' },
        );
      const { recorded, thisRun } = await store.checkpoint(run.lease, (trx) =>
        recordQueryIntent(trx, { id, runId: run.id, bucket, credits }, (spent) =>
          allowanceFor(spent).credits < credits ? null : balanceFor(spent),
        ),
      );
      return recorded ? { id, isFree: false } : allowanceFor(thisRun);
    },
    async accept({ id, isFree }) {
      const cost = partner.connections.queryCost('compare');
      if (isFree || cost === undefined) return;
      await store.checkpoint(run.lease, (trx) =>
        closeQueries(trx, run.id, [id], cost ?? { ...EXPECTED, credits: 0 }),
      );
    },
    async refuse({ id, isFree }) {
      if (isFree) return;
      await store.checkpoint(run.lease, (trx) =>
        closeQueries(trx, run.id, [id], { ...EXPECTED, credits: 0 }),
      );
    },
  };
}

/** The balances before the run's first query. */
interface Reading {
  balances: CreditBalances;
  /**
   * The credits of earlier queries that the service may still deduct. The balances do not include these credits yet.
   */
  unproven: ReadonlyMap<string, number>;
}

/** Reads the balances (free). The balances show the cost of earlier queries without a response. */
async function readAndProve(
  { store, partner, log }: InsightDeps,
  run: InsightRun,
): Promise<Reading> {
  const open = await listOpenQueries(store.reader, run.integration.id);
  const balances = await partner.readCredits(run.control.ending);
  const balanceByName = new Map<string, number>(Object.entries(balances));
  const unproven = new Map<string, number>();
  for (const queries of Map.groupBy(open, ({ runId, bucket }) => `${runId}\n${bucket}`).values()) {
    const [first] = queries;
    if (first === undefined) continue;
    const { runId, bucket } = first;
    const items = queries.reduce((sum, { credits }) => sum + credits, 0);
    const balanceBefore = Math.max(...queries.map((query) => query.balanceBefore));
    const balance = balanceByName.get(bucket) ?? 0;
    const [loss] = judgeLosses([items], { before: balanceBefore, meanwhile: [], balance });
    const ids = queries.map(({ id }) => id);
    const charged = loss?.charged ?? items;
    await store.checkpoint(run.lease, (trx) =>
      closeQueries(trx, runId, ids, { bucket, credits: charged }),
    );
    unproven.set(bucket, (unproven.get(bucket) ?? 0) + items - charged);
    log.info({ run: run.id, of: runId, queries: ids.length, charged }, 'lost queries are settled');
  }
  return { balances, unproven };
}
