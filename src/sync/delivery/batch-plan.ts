/** How many profiles are delivered together: pure. */
import type { Capabilities } from '../../../connectors/contract.ts';

/** A batch for the CRM's way for many is this much larger than what makes that way pay. */
const BULK_FACTOR = 2;

/** A batch that is not full is delivered anyway after this long. */
const PATIENCE_MS = 5_000;

/** The wait for a batch of thousands, which takes minutes to come together at the service's pace. */
const BULK_PATIENCE_MS = 120_000;

export interface BatchPlan {
  size: number;
  patienceMs: number;
}

/**
 * A request's worth at a time; if so many contacts are still to come that the CRM's way for many
 * pays, batches are made for that, since requests to a CRM are counted by the day.
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
