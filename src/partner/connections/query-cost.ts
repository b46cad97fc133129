import type { Log } from '../../core/log.ts';
import type { Bucket, Charge } from '../buckets.ts';
import type { CreditBalances } from '../credits.ts';

/**
 * The service document does not state the cost of queries (section 4.1). Therefore, donor-sync reads the balance before
 * and after the first query of each kind.
 */

/** The four kinds of query (service document, section 1). Their prices may differ. */
export type QueryKind = 'discover' | 'compare' | 'ofDonor' | 'lookup';

/** The number of credits that each query costs, and the bucket that pays for the query. */
export interface QueryCost {
  bucket: Bucket;
  credits: number;
}

/** Measures the cost of a query. */
export interface QueryMeter {
  /** Returns the cost of a kind of query. If no kind is given, returns the last measured cost. */
  cost(kind?: QueryKind): QueryCost | null | undefined;
  /**
   * Sends a query, and passes the query the bucket that pays. While the cost of a kind is unknown, queries run one
   * after the other, so that the decrease of the balance is the cost of one query. If the measured cost is above one
   * credit, it is accepted only after a second query of this kind has cost the same.
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
  /** Measured costs that a different change to the balance could also explain. */
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
      // If someone added credits, the increase could hide the cost of the query.
      if (POSSIBLE_BUCKETS.some((name) => after[name] > before[name])) return answer;
      const cost = costBetween(before, after);
      // A query about one donor costs one credit (section 4.5, rule 1). If more credits are missing, someone may have
      // added network members at the same time.
      if (cost !== null && cost.credits > 1 && !isSame(cost, unconfirmed.get(kind))) {
        unconfirmed.set(kind, cost);
        return answer;
      }
      costs.set(kind, cost);
      weighedLast = kind;
      const { bucket = null, credits = 0 } = cost ?? {};
      deps.log.info({ query: kind, bucket, credits }, 'query cost');
    } catch {
      // The response has arrived and may have been paid for. Therefore, donor-sync keeps it and measures the next query
      // instead.
      deps.log.debug({}, 'what a query costs is not known yet');
    }
    return answer;
  }
}

/**
 * The buckets that may pay for a query, the most likely bucket first. Submissions continue at the same time, so a lower
 * balance of the enhancements bucket does not prove anything.
 */
const POSSIBLE_BUCKETS = ['searches', 'networks', 'donors', 'lists', 'exports'] as const;

function isSame(one: QueryCost, other: QueryCost | undefined): boolean {
  return one.bucket === other?.bucket && one.credits === other.credits;
}

function costBetween(before: CreditBalances, after: CreditBalances): QueryCost | null {
  const bucket = POSSIBLE_BUCKETS.find((name) => after[name] < before[name]);
  return bucket === undefined ? null : { bucket, credits: before[bucket] - after[bucket] };
}
