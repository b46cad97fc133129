/** Decides how many profiles are delivered together. All functions are pure. */
import type { Capabilities } from '../../../connectors/contract.ts';

/** CRMs have a bulk API that is worthwhile from a certain batch size. A bulk batch is this many times that size. */
const BULK_FACTOR = 2;

/** How long a batch may wait to be filled. */
const PATIENCE_MS = 5_000;

/** How long a bulk batch may wait. A batch of thousands takes minutes to fill at the service's pace. */
const BULK_PATIENCE_MS = 120_000;

export interface BatchPlan {
  size: number;
  patienceMs: number;
}

/**
 * Plans the next batch. Normally it fills one request. If many contacts are still to come, it is large enough for the
 * CRM's bulk API, because CRMs limit the number of requests per day.
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
