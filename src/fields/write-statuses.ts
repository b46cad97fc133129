/**
 * Writes statuses in the last step of a run. Checks only contacts with a changed state or reason. Reads and writes only
 * changed statuses. A later run continues an interrupted step.
 */
import type { RecordLookup } from '../../connectors/contract.ts';
import { isOwned, type OwnedValues, parseOwned } from '../contacts/owned-values.ts';
import { SYNC_SOURCES } from '../core/field-map.ts';
import { STATUS_WORDS, type SyncStatus } from '../core/sync-status.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import { forgottenFingerprint, looksErased, refreshErased } from '../sync/control/erased.ts';
import type { Stages } from '../sync/control/stage.ts';
import { planFields } from './plan.ts';
import { type KnownRecord, readRecords } from './records.ts';
import {
  listStaleStatuses,
  recordStatuses,
  type StatusEnd,
  type StatusRow,
} from './statements/statuses.ts';
import { statusFields, toSyncStatus } from './status.ts';
import { valueFingerprint } from './values.ts';
import { writeFields } from './write.ts';

const PORTION_SIZE = 1_000;

/** Writes the statuses. Does nothing if the CRM has no field for them. */
export async function writeStatuses(deps: SyncDeps, run: Run): Promise<void> {
  const fields = statusFields(run);
  if (fields.length === 0) return;
  const scope = { place: JSON.stringify(fields), limit: PORTION_SIZE, only: run.only };
  let after: string | null = null;
  let written = 0;
  while (!run.control.stopping.aborted) {
    const rows: StatusRow[] = await listStaleStatuses(deps.store.reader, run.integration.id, {
      ...scope,
      after,
    });
    if (rows.length === 0) break;
    written += await writeRows(deps, run, rows);
    after = rows.at(-1)?.crmId ?? null;
  }
  if (written > 0) deps.log.info({ run: run.id, contacts: written }, 'statuses written');
}

/** Counts the statuses that the CRM does not contain yet. Sends no request. */
export async function countStaleStatuses(
  deps: StoreDeps,
  run: StatusRun & Pick<Run, 'integration' | 'only'>,
): Promise<number> {
  const fields = statusFields(run);
  if (fields.length === 0) return 0;
  const scope = { place: JSON.stringify(fields), limit: PORTION_SIZE, only: run.only };
  let count = 0;
  let after: string | null = null;
  for (;;) {
    const rows: StatusRow[] = await listStaleStatuses(deps.store.reader, run.integration.id, {
      ...scope,
      after,
    });
    const standings = rows.map((row) => ({ row, status: toSyncStatus(row) }));
    count += standings.filter((each) => !isInCrm(deps, run, each)).length;
    if (rows.length < PORTION_SIZE) return count;
    after = rows.at(-1)?.crmId ?? null;
  }
}

/** A contact and the status that it should have. */
interface RowStatus {
  row: StatusRow;
  status: SyncStatus | null;
}

/** Writes statuses. Resolves with the number of contacts to which it wrote. */
async function writeRows(deps: SyncDeps, run: Run, rows: readonly StatusRow[]): Promise<number> {
  const standings = rows.map((row) => ({ row, status: toSyncStatus(row) }));
  const sorted = Map.groupBy(standings, (each) => isInCrm(deps, run, each));
  const [inCrm, missing] = [sorted.get(true) ?? [], sorted.get(false) ?? []];
  await deps.store.checkpoint(run.lease, (trx) =>
    recordStatuses(trx, run.id, inCrm.map(unwritten)),
  );
  const size = deps.connector.capabilities.writeBatch.max;
  let count = 0;
  for (let start = 0; start < missing.length; start += size) {
    if (run.control.stopping.aborted) break;
    const ends = await writeBatch(deps, run, missing.slice(start, start + size));
    await deps.store.checkpoint(run.lease, (trx) => recordStatuses(trx, run.id, ends));
    count += ends.filter(({ written }) => written?.writeId != null && written.isDone).length;
  }
  return count;
}

function unwritten({ row: { crmId, seen }, status }: RowStatus): StatusEnd {
  return { crmId, seen, status, written: null };
}

type StoreDeps = Pick<SyncDeps, 'store'>;
type StatusRun = Pick<Run, 'mappings' | 'fields'>;

/**
 * True if the CRM probably contains the status. The status was written earlier or with the profile, or the CRM does not
 * need it.
 */
function isInCrm(deps: StoreDeps, run: StatusRun, { row, status }: RowStatus): boolean {
  if (row.mayBeLost) return false;
  if (row.isSamePlace) return row.inCrm === status || wasWritten(deps, run, row, status);
  const owned = parseOwned(row.ownedValues);
  if (status === null) return statusFields(run).every((field) => !Object.hasOwn(owned, field));
  return wasWritten(deps, run, row, status);
}

/** True if donor-sync's last value in each field is this status. */
function wasWritten(
  deps: StoreDeps,
  run: StatusRun,
  { crmId, ownedValues }: StatusRow,
  status: SyncStatus | null,
): boolean {
  if (status === null) return false;
  const owned = parseOwned(ownedValues);
  const present = new Set(statusFields(run));
  return run.mappings
    .filter(({ from, to }) => from === 'sync.status' && present.has(to))
    .every(({ to }) => isOwned(owned, to, valueFingerprint(deps, crmId, to, STATUS_WORDS[status])));
}

async function writeBatch(
  deps: SyncDeps,
  run: Run,
  standings: readonly RowStatus[],
): Promise<StatusEnd[]> {
  const names = statusFields(run);
  const owned = new Map(standings.map(({ row }) => [row.crmId, row.ownedValues]));
  const getRecord = await readRecords(
    deps,
    { ...run, fields: run.fields.filter(({ name }) => names.includes(name)) },
    [...owned.keys()],
    (crmId) => parseOwned(owned.get(crmId) ?? '{}'),
  );
  await refreshErased(deps, run);
  const planned = standings.flatMap((standing) => {
    const record = getRecord(standing.row.crmId);
    if (!mayBeWritten(deps, run, standing, record.lookup)) return [];
    return [{ standing, plan: planStatus(deps, run, standing, record) }];
  });
  const ends = await writeFields(
    deps,
    run,
    planned.map(({ plan }) => plan),
  );
  return planned.map(({ standing: { row, status }, plan: { crmId } }) => {
    const written = ends.get(crmId) ?? null;
    // If the CRM refused the status, it does not contain the status. The status is tried again after the next change of
    // state.
    const isThere = written === null || (written.isDone && isAmong(run, written.after));
    return { crmId, seen: row.seen, status: isThere ? status : row.inCrm, written };
  });
}

/** True if the CRM accepted a status field. The CRM may have refused other fields of the same write. */
function isAmong(run: Run, taken: OwnedValues | undefined): boolean {
  if (taken === undefined) return true;
  return run.mappings.some(({ from, to }) => from === 'sync.status' && Object.hasOwn(taken, to));
}

type Found = Extract<RecordLookup, { state: 'found' }>;

/**
 * True if a status may be written. The next reading handles contacts that left or opted out. A contact that may be an
 * erased person gets no status.
 */
function mayBeWritten(
  deps: SyncDeps,
  run: Run,
  { row, status }: RowStatus,
  lookup: RecordLookup | undefined,
): lookup is Found {
  if (lookup?.state !== 'found') return false;
  if (lookup.contact.optedOut && status !== 'optedOut' && status !== null) return false;
  return (
    forgottenFingerprint(deps, run, row.crmId) === null && !looksErased(deps, run, lookup.contact)
  );
}

function planStatus(
  deps: SyncDeps,
  run: Run,
  { row, status }: RowStatus,
  { lookup, intended, automated }: KnownRecord,
) {
  return planFields(deps, run, {
    crmId: row.crmId,
    values: new Map(),
    ...(status === null ? {} : { status: { status, sinceMs: getSince(row, status) } }),
    present: lookup?.state === 'found' ? lookup.values : {},
    ownedBefore: parseOwned(row.ownedValues),
    automated,
    intended,
    emptied: status === null ? SYNC_SOURCES : [],
  });
}

function getSince({ enhancedAt, reasonAt }: StatusRow, status: SyncStatus): number {
  return status === 'written' ? (enhancedAt ?? reasonAt) : reasonAt;
}

/** The stages that write statuses. These stages come last, because states no longer change then. */
export const STATUS_STAGES: Stages = { before: [], after: [writeStatuses] };
