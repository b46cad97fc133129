import { ConfigurationError } from '../../../core/errors.ts';
import { unknownRun } from '../../../core/shared-errors.ts';
import type { Reader } from '../../../database/reader.ts';
import { listRunRequests } from '../../../sync/statements/run-requests.ts';
import { findRunById, listRunRecords, type RunRecord } from '../../../sync/statements/runs.ts';
import { findRunReport } from '../../../sync/views/run.ts';
import type { Output } from '../terminal/output.ts';
import { wholeId } from './whole-id.ts';

/** Runs among which a short ID is looked up; for older ones the whole ID is needed. */
const MAX_RUNS_SEARCHED = 1_000;

/**
 * The whole ID of a run, queued ones included, that is meant by its end. Throws a ConfigurationError if there is none,
 * and for scripts (`isJson`, or `--yes`) that write an end alone.
 */
export async function findRunId(
  reader: Reader,
  typed: string,
  how: Pick<Output, 'isJson'>,
): Promise<string> {
  if ((await findRunReport(reader, typed)) !== null) return typed;
  const recent = await listRunRecords(reader, { limit: MAX_RUNS_SEARCHED });
  const queued = await listRunRequests(reader);
  const ids = [...recent.map(({ id }) => id), ...queued.map(({ runId }) => runId)];
  const id = wholeId(how, typed, ids);
  if (ids.includes(id)) return id;
  throw unknownRun(typed, { known: ids, isRead: true, isShortEnough: true });
}

/** The run with this ID, whole or short, that has started; throws a ConfigurationError if there is none. */
export async function findRun(
  reader: Reader,
  typed: string,
  how: Pick<Output, 'isJson'>,
): Promise<RunRecord> {
  const id = await findRunId(reader, typed, how);
  const row = await findRunById(reader, id);
  if (row) return row;
  throw new ConfigurationError(
    `The run "${id}" is queued, and has done nothing yet. Nothing was changed. See what is in progress: donor-sync status`,
    { code: 'run_queued', refusal: 'conflict', details: { run: id } },
  );
}
