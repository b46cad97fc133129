/**
 * Guards against deleting profiles because of wrong opt-out marks. If many contacts are marked together, the cause is
 * more likely a wrong field or an import than the decisions of many people. Marked contacts get no deliveries, and no
 * data about them is shown. Their paid profiles are deleted only if there are few marks, or if a user has confirmed the
 * marks.
 */

import {
  countOptOuts,
  endCorrectedOptOuts,
  holdOptOuts,
  type OptOutCounts,
  recordOptOuts,
} from '../../contacts/many-at-once/opt-outs.ts';
import type { Run, SyncDeps } from '../control/context.ts';

/** Marks within this time are counted together, like departures. */
export const OPT_OUT_WINDOW_MS = 7 * 86_400_000;

/**
 * The number of days for which a profile is kept after an opt-out. A wrong mark should be corrected within this time.
 */
export const KEPT_AFTER_OPT_OUT_DAYS = 30;

/**
 * New marks are doubtful if they exceed this share of the contacts with a profile and at least this number of contacts
 * is marked.
 */
const MOST = { share: 0.1, atLeast: 25 };

/** True if so many contacts are newly marked that the marks are probably an error. A pure function. */
export function isMassOptOut({ marked, kept }: Pick<OptOutCounts, 'marked' | 'kept'>): boolean {
  return marked >= MOST.atLeast && marked > MOST.share * kept;
}

/**
 * Records the marks that were read. Asks a user if too many contacts are marked, and closes questions about marks that
 * were removed.
 */
export async function decideOptOuts(
  { store, clock, log, newId }: Pick<SyncDeps, 'store' | 'clock' | 'log' | 'newId'>,
  { id: runId, lease, integration: { id, contacts } }: Pick<Run, 'id' | 'lease' | 'integration'>,
): Promise<void> {
  const since = clock.now() - OPT_OUT_WINDOW_MS;
  await store.checkpoint(lease, (trx) => endCorrectedOptOuts(trx));
  const counts = await countOptOuts(store.reader, id, { since });
  if (counts.unrecorded === 0) return;
  // If marks are added while the question is open, they are just as doubtful.
  if (counts.isOpen || isMassOptOut(counts)) {
    const { marked, kept } = counts;
    const held = await holdOptOuts(store, lease, { since, field: contacts.optOutField, newId });
    log.warn({ run: runId, marked, kept, held }, 'many contacts opted out at once: a user decides');
  }
  await store.checkpoint(lease, (trx) => recordOptOuts(trx));
}
