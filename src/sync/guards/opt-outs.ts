/**
 * Opt-out marks on many contacts at once are rarely many people's own decisions. A wrong opt-out field, or an import
 * that ticks everyone, is more likely. Marked contacts receive no deliveries, and no data about them is shown. But
 * their paid profiles are deleted only if there are few marks, or if a user has confirmed the marks.
 */

import {
  countOptOuts,
  endCorrectedOptOuts,
  holdOptOuts,
  type OptOutCounts,
  recordOptOuts,
} from '../../contacts/many-at-once/opt-outs.ts';
import type { Run, SyncDeps } from '../control/context.ts';

/** Marks are counted over this time, like departures. */
export const OPT_OUT_WINDOW_MS = 7 * 86_400_000;

/** A wrong opt-out mark is expected to be corrected within this time. */
export const KEPT_AFTER_OPT_OUT_DAYS = 30;

/**
 * New marks are doubtful if they are on more than this share of the contacts with a profile, and on at least
 * this many.
 */
const MOST = { share: 0.1, atLeast: 25 };

/** Pure: returns whether so many new marks are more likely an error. */
export function isMassOptOut({ marked, kept }: Pick<OptOutCounts, 'marked' | 'kept'>): boolean {
  return marked >= MOST.atLeast && marked > MOST.share * kept;
}

/**
 * Records the marks that were read, closes the questions about marks that were removed, and opens a question if too
 * many contacts are marked.
 */
export async function decideOptOuts(
  { store, clock, log, newId }: Pick<SyncDeps, 'store' | 'clock' | 'log' | 'newId'>,
  { id: runId, lease, integration: { id, contacts } }: Pick<Run, 'id' | 'lease' | 'integration'>,
): Promise<void> {
  const since = clock.now() - OPT_OUT_WINDOW_MS;
  await store.checkpoint(lease, (trx) => endCorrectedOptOuts(trx));
  const counts = await countOptOuts(store.reader, id, { since });
  if (counts.unrecorded === 0) return;
  // Marks that are added while the question is open are just as doubtful.
  if (counts.isOpen || isMassOptOut(counts)) {
    const { marked, kept } = counts;
    const held = await holdOptOuts(store, lease, { since, field: contacts.optOutField, newId });
    log.warn({ run: runId, marked, kept, held }, 'many contacts opted out at once: a user decides');
  }
  await store.checkpoint(lease, (trx) => recordOptOuts(trx));
}
