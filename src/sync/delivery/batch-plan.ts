/** Decides how many profiles are delivered together. All functions are pure. */
import type { Capabilities } from '../../../connectors/contract.ts';

/**
 * CRMs have a bulk API that is worthwhile from a certain batch size. The size of a bulk batch, as a multiple of that
 * size.
 */
const BULK_FACTOR = 2;

/** The maximum time that a batch waits to be filled. */
const PATIENCE_MS = 5_000;

/** The time for which a bulk batch may wait. A batch of thousands takes minutes to fill at the service's pace. */
const BULK_PATIENCE_MS = 120_000;

export interface BatchPlan {
  size: number;
  patienceMs: number;
}

/**
 * Plans the next batch. A batch usually fills one request. CRMs limit the number of requests per day. If many more
 * contacts are expected, the batch is therefore large enough for the CRM's bulk API.
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
