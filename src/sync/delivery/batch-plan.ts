/** Decides how many profiles are delivered together. Pure. */
import type { Capabilities } from '../../../connectors/contract.ts';

/**
 * A batch for the CRM's bulk API is this many times larger than the size from which that API is worthwhile.
 */
const BULK_FACTOR = 2;

/** A batch that is not full is delivered anyway after this long. */
const PATIENCE_MS = 5_000;

/** The waiting time for a batch of thousands, which takes minutes to fill at the service's pace. */
const BULK_PATIENCE_MS = 120_000;

export interface BatchPlan {
  size: number;
  patienceMs: number;
}

/**
 * Normally a batch fills one request. If so many contacts are still to come that the CRM's bulk API is
 * worthwhile, batches are sized for that API, because CRMs limit the number of requests per day.
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
