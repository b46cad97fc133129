/**
 * Guards against deleting profiles because of wrong opt-out marks. If many contacts are marked together, a wrong field
 * or an import is a more likely cause than the decisions of many people. Marked contacts get no deliveries, and pages
 * show no data about them. The paid profiles of marked contacts are deleted only if few contacts are marked, or if a
 * user has confirmed the marks.
 */

import {
  countOptOuts,
  endCorrectedOptOuts,
  holdOptOuts,
  type OptOutCounts,
  recordOptOuts,
} from '../../contacts/many-at-once/opt-outs.ts';
import type { Run, SyncDeps } from '../control/context.ts';

/** Marks within this time are counted together, across all runs. */
export const OPT_OUT_WINDOW_MS = 7 * 86_400_000;

/**
 * The number of days for which donor-sync keeps a profile after an opt-out. During this time, someone can correct a
 * wrong mark.
 */
export const KEPT_AFTER_OPT_OUT_DAYS = 30;

/**
 * New marks are doubtful if they affect more than this share of the contacts with a profile, and at least this number
 * of contacts.
 */
const MOST = { share: 0.1, atLeast: 25 };

/** True if the number of newly marked contacts is so large that the marks are probably an error. A pure function. */
export function isMassOptOut({ marked, kept }: Pick<OptOutCounts, 'marked' | 'kept'>): boolean {
  return marked >= MOST.atLeast && marked > MOST.share * kept;
}

/**
 * Records the opt-out marks that the run has read. Asks a user if too many contacts are marked, and closes decisions
 * about removed marks.
 */
export async function decideOptOuts(
  { store, clock, log, newId }: Pick<SyncDeps, 'store' | 'clock' | 'log' | 'newId'>,
  { id: runId, lease, integration: { id, contacts } }: Pick<Run, 'id' | 'lease' | 'integration'>,
): Promise<void> {
  const since = clock.now() - OPT_OUT_WINDOW_MS;
  await store.checkpoint(lease, (trx) => endCorrectedOptOuts(trx));
  const counts = await countOptOuts(store.reader, id, { since });
  if (counts.unrecorded === 0) return;
  // Marks that are added while the decision is open are also doubtful.
  if (counts.isOpen || isMassOptOut(counts)) {
    const { marked, kept } = counts;
    const held = await holdOptOuts(store, lease, { since, field: contacts.optOutField, newId });
    log.warn({ run: runId, marked, kept, held }, 'many contacts opted out at once: a user decides');
  }
  await store.checkpoint(lease, (trx) => recordOptOuts(trx));
}
