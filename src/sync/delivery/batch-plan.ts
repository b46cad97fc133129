/** Decides how many profiles are delivered together. All functions are pure. */
import type { Capabilities } from '../../../connectors/contract.ts';

/** The size of a bulk batch, as a multiple of the smallest batch size for which the CRM's bulk API is worthwhile. */
const BULK_FACTOR = 2;

/** The maximum time that a batch waits for more contacts. */
const PATIENCE_MS = 5_000;

/**
 * The maximum time that a bulk batch waits for more contacts. At the service's pace, a batch of thousands takes minutes
 * to fill.
 */
const BULK_PATIENCE_MS = 120_000;

export interface BatchPlan {
  size: number;
  patienceMs: number;
}

/**
 * Plans the next batch. Usually, a batch fills one CRM request. CRMs limit the number of requests per day. Therefore,
 * if many more contacts are expected, the batch is large enough for the CRM's bulk API.
 */
export function planBatch(
  { preferred, bulk, max }: Capabilities['writeBatch'],
  contactsToCome: number,
): BatchPlan {
  if (bulk === null || contactsToCome < bulk * BULK_FACTOR) {
    return { size: preferred, patienceMs: PATIENCE_MS };
  }
  return { size: Math.min(max, bulk * BULK_FACTOR), patienceMs: BULK_PATIENCE_MS };
}
