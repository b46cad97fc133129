/**
 * What the queries of one run may cost. Nobody documents their price (service document, section
 * 4.1): the client learns it from the first one, and until then it is taken to be one credit.
 */

import { type Allowance, allowanceOf } from '../credits/allowance.ts';
import type { Bucket } from '../partner/buckets.ts';
import type { CreditBalances } from '../partner/credits.ts';
import type { PathCost } from '../store/fields/warm-paths.ts';
import type { InsightDeps, InsightRun } from './context.ts';

/** Named after what a query does; the first query shows whether it is the one. */
const EXPECTED = { bucket: 'searches', credits: 1 } as const satisfies {
  bucket: Bucket;
  credits: number;
};

/** Pays for queries, as long as there is anything to pay. */
export interface QueryPurse {
  /** True if one more query may be sent; what it may cost is put aside. */
  take(): Promise<boolean>;
  /** Puts back what was taken for a query that the service refused (section 4.5, rule 5). */
  putBack(): void;
  /** What the queries have cost; null as long as that is nothing. */
  readonly spent: PathCost | null;
  /** Why `take` said no; null as long as it has not. */
  readonly refusal: Allowance | null;
}

/** A purse for one run. Ask for the first query alone: its price is not known before. */
export function createQueryPurse(
  { partner }: Pick<InsightDeps, 'partner'>,
  { integration, control }: Pick<InsightRun, 'integration' | 'control'>,
): QueryPurse {
  const { perRun, keep } = integration.insights.budget;
  let taken = 0;
  let refusal: Allowance | null = null;
  let before: Promise<CreditBalances> | null = null;
  return {
    async take() {
      const cost = partner.connections.queryCost('compare');
      if (cost === null) return true;
      const { bucket, credits: price } = cost ?? EXPECTED;
      before ??= partner.readCredits(control.ending);
      const { [bucket]: balance } = await before;
      const spent = taken * price;
      const allowance = allowanceOf(
        { perRun, perMonth: null, keep },
        { thisRun: spent, thisMonth: 0, balance: balance - spent },
        { bucket, setting: 'insights.budget' },
      );
      if (allowance.credits < price) refusal = allowance;
      else taken += 1;
      return refusal === null;
    },
    putBack() {
      taken = Math.max(0, taken - 1);
    },
    get spent() {
      const cost = partner.connections.queryCost('compare');
      return cost && taken > 0 ? { bucket: cost.bucket, credits: taken * cost.credits } : null;
    },
    get refusal() {
      return refusal;
    },
  };
}
