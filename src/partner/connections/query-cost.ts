import type { Log } from '../../core/log.ts';
import type { Bucket, Charge } from '../buckets.ts';
import type { CreditBalances } from '../credits.ts';

/**
 * The cost of queries is not documented (service document, section 4.1). It is therefore measured from the balance
 * before and after the first query of each kind.
 */

/** The four kinds of query (service document, section 1), which may differ in price. */
export type QueryKind = 'discover' | 'compare' | 'ofDonor' | 'lookup';

/** The number of credits that each query costs, and the bucket from which they are taken. */
export interface QueryCost {
  bucket: Bucket;
  credits: number;
}

/** Measures the cost of a query. */
export interface QueryMeter {
  /** Without a kind, returns the cost of the kind that was measured last. */
  cost(kind?: QueryKind): QueryCost | null | undefined;
  /**
   * Sends a query, and tells it which bucket it charges. While the cost of its kind is unknown, queries run one after
   * the other, so the decrease of the balance is the cost of one query. A cost above one credit is accepted only after
   * a second query of the kind has cost the same.
   */
  meter<Answer>(
    kind: QueryKind,
    query: (charges: Charge) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer>;
}

export interface QueryMeterDeps {
  readCredits(signal?: AbortSignal): Promise<CreditBalances>;
  log: Log;
}

export function createQueryMeter(deps: QueryMeterDeps): QueryMeter {
  const costs = new Map<QueryKind, QueryCost | null>();
  /** Costs that could also result from a different change to the balance. */
  const unconfirmed = new Map<QueryKind, QueryCost>();
  let weighedLast: QueryKind | undefined;
  let lastInLine: Promise<void> = Promise.resolve();
  return {
    cost: (kind = weighedLast) => (kind === undefined ? undefined : costs.get(kind)),
    async meter(kind, query, signal) {
      const before = lastInLine;
      const { promise, resolve: letNextGo } = Promise.withResolvers<void>();
      lastInLine = promise;
      try {
        await before;
        if (!costs.has(kind)) return await weigh(kind, query, signal);
      } finally {
        letNextGo();
      }
      return query(costs.get(kind)?.bucket ?? null);
    },
  };

  async function weigh<Answer>(
    kind: QueryKind,
    query: (charges: Charge) => Promise<Answer>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const before = await deps.readCredits(signal);
    const answer = await query('unknown');
    try {
      const after = await deps.readCredits(signal);
      // Credits that were added could hide what the query cost.
      if (POSSIBLE_BUCKETS.some((name) => after[name] > before[name])) return answer;
      const cost = costBetween(before, after);
      // A request about one donor costs one credit (section 4.5, rule 1). If more credits are missing, members may have
      // been added.
      if (cost !== null && cost.credits > 1 && !isSame(cost, unconfirmed.get(kind))) {
        unconfirmed.set(kind, cost);
        return answer;
      }
      costs.set(kind, cost);
      weighedLast = kind;
      const { bucket = null, credits = 0 } = cost ?? {};
      deps.log.info({ query: kind, bucket, credits }, 'query cost');
    } catch {
      // The response may have been paid for, and it has arrived. Therefore, the next query is measured instead.
      deps.log.debug({}, 'what a query costs is not known yet');
    }
    return answer;
  }
}

/**
 * Buckets that a query may take its credits from, the most likely first. Submissions continue in the meantime, so a
 * lower enhancements balance does not prove anything.
 */
const POSSIBLE_BUCKETS = ['searches', 'networks', 'donors', 'lists', 'exports'] as const;

function isSame(one: QueryCost, other: QueryCost | undefined): boolean {
  return one.bucket === other?.bucket && one.credits === other.credits;
}

function costBetween(before: CreditBalances, after: CreditBalances): QueryCost | null {
  const bucket = POSSIBLE_BUCKETS.find((name) => after[name] < before[name]);
  return bucket === undefined ? null : { bucket, credits: before[bucket] - after[bucket] };
}
