import type { PartnerClient } from '../../partner/client.ts';
import type { Output } from '../terminal/output.ts';
import { countOf } from '../terminal/quantities.ts';

/** `72%`, for a strength between 0 and 1. */
export function percentText(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** Says on stderr what a query has cost, if it was not free. */
export function noteQueryCost(output: Output, { connections }: Pick<PartnerClient, 'connections'>) {
  const cost = connections.queryCost();
  if (!cost) return;
  output.note(`This query cost ${countOf(cost.credits, 'credit')} of the ${cost.bucket} bucket.`);
}
