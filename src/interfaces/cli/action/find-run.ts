import { ConfigurationError } from '../../../core/errors.ts';
import { unknownRun } from '../../../core/shared-errors.ts';
import type { Reader } from '../../../database/reader.ts';
import { listRunRequests } from '../../../sync/statements/run-requests.ts';
import { findRunById, listRunRecords, type RunRecord } from '../../../sync/statements/runs.ts';
import { findRunReport } from '../../../sync/views/run.ts';
import type { Output } from '../terminal/output.ts';
import { wholeId } from './whole-id.ts';

/** The number of recent runs in which a short ID is searched. For older runs, the whole ID is needed. */
const MAX_RUNS_SEARCHED = 1_000;

/**
 * Finds the whole ID of a run, including queued runs. Throws a ConfigurationError if there is no such run. Scripts
 * (`isJson`, or `--yes`) need the whole ID.
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

/** Finds a run. Throws a ConfigurationError if the run does not exist. */
export async function findRun(
  reader: Reader,
  typed: string,
  how: Pick<Output, 'isJson'>,
): Promise<RunRecord> {
  const id = await findRunId(reader, typed, how);
  const row = await findRunById(reader, id);
  if (row) return row;
  throw new ConfigurationError(
    `Run "${id}" is queued and has not done anything yet. Nothing was changed. To see what is in progress: donor-sync status`,
    { code: 'run_queued', refusal: 'conflict', details: { run: id } },
  );
}
