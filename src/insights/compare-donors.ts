/** Donors ► the service ► their connections to the networks, a hundred in a request. */
import { DonorSyncError } from '../core/errors.ts';
import { inParallel } from '../core/parallel.ts';
import { ClockWrong, confirmLease } from '../credits/confirm.ts';
import type { Prospect } from '../partner/connections/prospects.ts';
import { MAX_DONORS_PER_REQUEST } from '../partner/donor-batch.ts';
import { AnswerLost, CreditsExhausted, PartnerNotFound } from '../partner/errors.ts';
import type { PathCost } from '../store/fields/warm-paths.ts';
import type { InsightDeps, InsightRun } from './context.ts';
import { createQueryPurse, type QueryPurse } from './query-allowance.ts';
import { STRENGTH_FLOOR } from './strength.ts';

/** Requests under way at a time; the pace of the key holds for all of them. */
const COMPARES_AT_ONCE = 10;

/** If so many in a row are unknown, it is not about them, and their paths are still there. */
const MANY_UNKNOWN = 20;

/** What is known of a donor; null if the service does not know the donor. */
export type Compared = Map<string, Pick<Prospect, 'connections' | 'totalConnections'> | null>;

/** Compares donors with the networks as long as the budget allows. */
export interface Comparison {
  /** The donors whose connections were found out; once `isOver` not all of them. */
  compare(donorIds: readonly string[]): Promise<Compared>;
  /** True if nothing more can be asked in this run; why is on the run. */
  readonly isOver: boolean;
  /** What the queries have cost so far; null if that is nothing. */
  readonly spent: PathCost | null;
}

/** A comparison with these networks (the service's ids; at least one). */
export function createComparison(
  deps: InsightDeps,
  run: InsightRun,
  networkIds: readonly string[],
): Comparison {
  const purse = createQueryPurse(deps, run);
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
      // The price of the first tells how many more may be sent.
      const alone = deps.partner.connections.queryCost('compare') === undefined ? 1 : 0;
      for (const some of [requests.slice(0, alone), requests.slice(alone)]) {
        await inParallel(some, COMPARES_AT_ONCE, (ids) => compareSome(ids, compared));
      }
      return compared;
    },
    get isOver() {
      return isOver || run.control.stopping.aborted;
    },
    get spent() {
      return purse.spent;
    },
  };

  /** Asks about up to a hundred donors, and about fewer if one of them makes the service refuse. */
  async function compareSome(donorIds: readonly string[], compared: Compared): Promise<void> {
    if (isOver || run.control.stopping.aborted) return;
    if (!(await purse.take())) {
      end(() => stopForBudget(run, purse));
      return;
    }
    try {
      const prospects = await deps.partner.connections.compare(
        donorIds,
        filters,
        run.control.ending,
        () => confirmLease(deps, run),
      );
      // Whom the reply leaves out has no connections.
      for (const id of donorIds) compared.set(id, NO_CONNECTIONS);
      for (const prospect of prospects) compared.set(prospect.donor.donorId, prospect);
    } catch (error) {
      if (stopsAsking(error)) end(() => stopForError(run, error));
      else if (isRefusal(error)) await compareHalves(donorIds, compared, error);
      else throw error;
    }
  }

  async function compareHalves(
    donorIds: readonly string[],
    compared: Compared,
    refusal: unknown,
  ): Promise<void> {
    purse.putBack();
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

  /** Says why once, whichever request comes upon it first. */
  function end(say: () => void): void {
    if (!isOver) say();
    isOver = true;
  }
}

const NO_CONNECTIONS = { connections: [], totalConnections: 0 };

/** One unknown donor makes the service refuse all of a request; nothing is charged then. */
function isRefusal(error: unknown): boolean {
  return error instanceof DonorSyncError && error.kind === 'skippable';
}

/** The rest of the run can do without the answer. */
function stopsAsking(error: unknown): error is CreditsExhausted | AnswerLost | ClockWrong {
  return (
    error instanceof CreditsExhausted || error instanceof AnswerLost || error instanceof ClockWrong
  );
}

function stopForBudget({ control }: InsightRun, { refusal }: QueryPurse): void {
  const limit = refusal?.limit ?? 'budget_reached';
  control.stopSpending(
    limit,
    `Not every warm path could be computed: queries cost credits, and ${refusal?.limitText ?? 'none may be spent'}. A later run goes on.`,
  );
}

/** An answer that was lost may be paid for: it is not asked again before the next run. */
function stopForError(
  { control }: InsightRun,
  error: CreditsExhausted | AnswerLost | ClockWrong,
): void {
  // Who found the clock wrong has said so.
  if (error instanceof ClockWrong) return;
  const code = error instanceof CreditsExhausted ? 'credits_exhausted' : 'partner_unavailable';
  control.stopSpending(code, `Not every warm path could be computed: ${error.message}`);
}
