/**
 * Guards against removing contacts by mistake. If many contacts are missing from the CRM, probably nobody has deleted
 * all of them. More likely causes are a truncated export, a page that failed silently, a filter that is still on, or
 * lost access. In this case, donor-sync removes no contact until a user confirms the removal. The guard decides after
 * the run has read, submitted and delivered all contacts. Until then, missing contacts are only marked.
 */

import {
  countMissing,
  countOpenMissing,
  type DepartureCounts,
  findListScope,
  holdMissing,
  recordListScope,
  removeMissing,
} from '../../contacts/many-at-once/missing.ts';
import { listUndecided } from '../../contacts/many-at-once/new-ids.ts';
import type { Guards, Integration } from '../../core/integration-settings.ts';
import { describeCount } from '../../core/quantities.ts';
import { LIST_CHANGED } from '../../core/questions/contacts-missing.ts';
import type { Run, SyncDeps } from '../control/context.ts';

const DAY_MS = 86_400_000;

/**
 * Missing contacts within this time are counted together, across all runs. If a user decides to wait, this decision is
 * valid for the same time.
 */
const WINDOW_MS = 7 * DAY_MS;

/** A user decides if more than half of a list's contacts are missing and the list has at least this many contacts. */
const FEWEST_OF_HALF = 5;

/** True if unusually many contacts are missing. A pure function. */
export function isMassDeparture(
  { missing, removed, known }: DepartureCounts,
  { share, atLeast }: Guards['departures'],
  isEmpty: boolean,
): boolean {
  if (missing === 0) return false;
  const left = missing + removed;
  const all = known + removed;
  if (isEmpty) return true;
  if (all >= FEWEST_OF_HALF && left > all / 2) return true;
  return left >= atLeast && left > share * all;
}

type DepartureDeps = Pick<SyncDeps, 'store' | 'connector' | 'clock' | 'log' | 'newId'>;

/**
 * Decides about contacts that are marked as missing. Usually, missing contacts are removed. If too many contacts are
 * missing, no contact is removed, and the run ends as incomplete after all other work.
 */
export async function decideDepartures(deps: DepartureDeps, run: Run): Promise<void> {
  const { store, clock } = deps;
  const { id } = run.integration;
  if (mayDecide(deps, run)) await decide(deps, run, clock.now() - WINDOW_MS);
  const open = await countOpenMissing(store.reader, id, run.only);
  if (open > 0) run.control.note('contacts_missing', missingText(open));
}

/**
 * True if this run may decide about missing contacts. In a list, looking up a single contact proves little. Therefore,
 * only a run that has read the whole list may decide.
 */
function mayDecide({ connector }: Pick<DepartureDeps, 'connector'>, run: Run): boolean {
  const { incremental, reportsRemovals } = connector.capabilities;
  return run.readAll != null || incremental || reportsRemovals;
}

async function decide(deps: DepartureDeps, run: Run, since: number): Promise<void> {
  const { store, log, newId } = deps;
  const { id, guards } = run.integration;
  const scope = listScope(deps, run.integration);
  // A list can change its IDs, so a missing contact may still be in it.
  const { reportsRemovals } = deps.connector.capabilities;
  const undecided = reportsRemovals ? [] : await listUndecided(store.reader, id);
  const window = { since, undecided };
  const counts = await countMissing(store.reader, id, window);
  if (
    counts === null ||
    !isMassDeparture(counts, guards.departures, run.readAll?.isEmpty === true)
  ) {
    if (counts !== null && counts.missing > 0) {
      await store.checkpoint(run.lease, (trx) => removeMissing(trx, window));
    }
    if (run.readAll != null && (await findListScope(store.reader, id)) !== scope) {
      await store.checkpoint(run.lease, (trx) => recordListScope(trx, scope));
    }
    return;
  }
  const before = await findListScope(store.reader, id);
  const detail = before !== null && before !== scope ? LIST_CHANGED : null;
  const held = await holdMissing(store, run.lease, { ...window, detail, newId });
  log.warn({ run: run.id, ...counts, held }, 'many contacts are missing at once: a user decides');
}

/**
 * Returns the fingerprint of the settings that define the list. Missing contacts are normal after these settings have
 * changed.
 */
function listScope(
  { store }: Pick<DepartureDeps, 'store'>,
  { crm, contacts }: Integration,
): string {
  const { objections: _, ...selection } = contacts;
  const list = [
    selection,
    crm.kind,
    crm['path'] ?? null,
    crm['columns'] ?? null,
    crm['url'] ?? null,
  ];
  return store.fingerprint('list_scope', JSON.stringify(list));
}

function missingText(count: number): string {
  const contacts = `${describeCount(count, 'contact')} ${count === 1 ? 'is' : 'are'} missing`;
  return `${contacts} from the CRM, and nothing shows that they were deleted. None of these contacts was removed, and everything else was synced. See \`donor-sync holds\`.`;
}
