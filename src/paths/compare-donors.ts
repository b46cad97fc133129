/** Compares donors with the networks. One query to the service reads the connections of up to a hundred donors. */
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import { inParallel } from '../core/parallel.ts';
import type { Allowance } from '../credits/budget.ts';
import { SpendingHeld } from '../credits/confirm.ts';
import { type Payment, spendOnce } from '../credits/spend.ts';
import type { Prospect } from '../partner/connections/prospects.ts';
import { MAX_DONORS_PER_REQUEST } from '../partner/donor-batch.ts';
import { CreditsExhausted, PartnerNotFound } from '../partner/errors.ts';
import type { InsightDeps, InsightRun } from './insight-deps.ts';
import { createQueryAllowance, type IntendedQuery } from './query-allowance.ts';
import { STRENGTH_FLOOR } from './strength.ts';

/** The number of simultaneous requests that makes full use of the key's rate limit. */
const COMPARES_AT_ONCE = 10;

/**
 * If the service does not know this many donors in a row, the service has a problem. The donors' paths are then kept.
 */
const MANY_UNKNOWN = 20;

/** The number of credits that the spending journal records for a query until its price is known. */
const INTENDED_CREDITS = 1;

/** The result for each donor. Null if the service does not know the donor. */
export type Compared = Map<string, Pick<Prospect, 'connections' | 'totalConnections'> | null>;

/** Compares donors with the networks while the budget allows it. */
export interface Comparison {
  /** Returns the connections of the donors. If `isOver` is true afterwards, some donors may be missing. */
  compare(donorIds: readonly string[]): Promise<Compared>;
  /** True if this run can send no more queries. The run contains the reason. */
  readonly isOver: boolean;
}

/** Creates a comparison with these networks, which are given as the service's IDs. At least one network is required. */
export function createComparison(
  deps: InsightDeps,
  run: InsightRun,
  networkIds: readonly string[],
): Comparison {
  const allowance = createQueryAllowance(deps, run);
  const filters = {
    networkIds,
    minStrength: Math.max(STRENGTH_FLOOR, run.integration.insights.minStrength),
  };
  let isOver = false;
  return {
    async compare(donorIds) {
      const compared: Compared = new Map();
      const distinct = [...new Set(donorIds)];
      const requests: string[][] = [];
      for (let start = 0; start < distinct.length; start += MAX_DONORS_PER_REQUEST) {
        requests.push(distinct.slice(start, start + MAX_DONORS_PER_REQUEST));
      }
      // The price of the first query decides how many further queries the run may send. Therefore, the first query is
      // sent alone.
      const alone = deps.partner.connections.queryCost('compare') === undefined ? 1 : 0;
      for (const some of [requests.slice(0, alone), requests.slice(alone)]) {
        await inParallel(some, COMPARES_AT_ONCE, (ids) => compareSome(ids, compared));
      }
      return compared;
    },
    get isOver() {
      return isOver || run.control.stopping.aborted;
    },
  };

  /**
   * Sends a query for up to a hundred donors. If the service refuses the query because of one donor, sends queries for
   * fewer donors.
   */
  async function compareSome(donorIds: readonly string[], compared: Compared): Promise<void> {
    if (isOver || run.control.stopping.aborted) return;
    const query = await allowance.intend();
    if ('limitText' in query) {
      end(() => stopForBudget(run, query));
      return;
    }
    const attempt = await spendOnce(deps, run, payFor(donorIds, compared), query);
    if (attempt === 'over') isOver = true;
  }

  function payFor(
    donorIds: readonly string[],
    compared: Compared,
  ): Payment<IntendedQuery, Prospect[]> {
    return {
      toJournal({ id, isFree }) {
        if (isFree) return null;
        return { id, key: run.partnerKey, credits: INTENDED_CREDITS, subject: { kind: 'queries' } };
      },
      toJournaledEnd() {
        const cost = deps.partner.connections.queryCost('compare');
        // Until the price is known, records the intended cost of the query.
        return { charged: cost === undefined ? INTENDED_CREDITS : (cost?.credits ?? 0), jobs: {} };
      },
      send: (_, mayLeave) =>
        deps.partner.connections.compare(donorIds, filters, run.control.ending, mayLeave),
      async accept(query, prospects) {
        await allowance.accept(query);
        // If a donor is missing from the response, the donor has no connections.
        for (const id of donorIds) compared.set(id, NO_CONNECTIONS);
        for (const prospect of prospects) compared.set(prospect.donor.donorId, prospect);
        return 'progress';
      },
      // The service may have charged the query, so this run does not repeat it. Its intent remains open.
      async lose(_, error) {
        end(() => run.control.stopSpending('partner_unavailable', explain(messageOf(error))));
        return 'over';
      },
      async refuse(query, error) {
        await allowance.refuse(query);
        if (isRefusal(error)) {
          await compareHalves(donorIds, compared, error);
          return 'progress';
        }
        // The rest of the run does not need this response. Any other kind of error ends the run.
        if (error instanceof CreditsExhausted || error instanceof SpendingHeld) return null;
        throw error;
      },
      explain,
    };
  }

  async function compareHalves(
    donorIds: readonly string[],
    compared: Compared,
    refusal: unknown,
  ): Promise<void> {
    const [only] = donorIds;
    if (donorIds.length === 1 && only !== undefined) {
      if (!(refusal instanceof PartnerNotFound)) throw refusal;
      compared.set(only, null);
      return;
    }
    const middle = Math.ceil(donorIds.length / 2);
    await compareSome(donorIds.slice(0, middle), compared);
    await compareSome(donorIds.slice(middle), compared);
    const isUnknown = (donorId: string) => compared.get(donorId) === null;
    if (donorIds.length >= MANY_UNKNOWN && donorIds.every(isUnknown)) throw refusal;
  }

  /** Reports the reason only once, even if several requests find it. */
  function end(say: () => void): void {
    if (!isOver) say();
    isOver = true;
  }
}

const NO_CONNECTIONS = { connections: [], totalConnections: 0 };

/** True if the service refused the whole request because of one unknown donor. The service then charges nothing. */
function isRefusal(error: unknown): boolean {
  return isDonorSyncError(error) && error.kind === 'skippable';
}

function stopForBudget({ control }: InsightRun, { limit, limitText }: Allowance): void {
  control.stopSpending(
    limit,
    explain(`queries cost credits, and ${limitText}. A later run continues.`),
  );
}

function explain(message: string): string {
  return `Not every warm path could be computed: ${message}`;
}
