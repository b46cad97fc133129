/** Reads the status of all integrations with a few queries. */
import { sql } from 'kysely';
import { leaseInForce } from '../../database/leases.ts';
import type { Reader, TimedReader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';

export interface RunActivityRow {
  run: string | null;
  status: string | null;
  reasonCode: string | null;
  reasonMessage: string | null;
  /** True while a process has the lease of this run. */
  isGoingOn: boolean;
}

export interface NightRun {
  id: string;
  integrationId: string;
  status: string;
  reasonCode: string | null;
  startedAt: number;
  spentEnhancements: number;
}

/** The maximum number of runs that one page reads. */
const MAX_RUNS = 10_000;

/**
 * Lists the last runs of all integrations. `known` is the previous result. Successful runs do not change, so they are
 * not read again.
 */
export async function listRunActivity(
  reader: TimedReader,
  known: ReadonlyMap<string, RunActivityRow>,
): Promise<Map<string, RunActivityRow>> {
  const lastRuns = await listLastRuns(reader);
  const activity = new Map<string, RunActivityRow>();
  const open = new Map<string, (typeof lastRuns)[number]>();
  for (const row of lastRuns) {
    const before = known.get(row.id);
    const isSettled = before?.status === 'succeeded' && before.run === row.last_run;
    activity.set(row.id, isSettled ? before : NO_RUN);
    if (!isSettled && row.last_run !== null) open.set(row.last_run, row);
  }
  for (const run of await findRuns(reader, [...open.keys()])) {
    const row = open.get(run.id);
    if (row === undefined) continue;
    const { status, reason_code: reasonCode, reason_message: reasonMessage } = run;
    const isGoingOn = row.is_held === 1 && status === 'running' && run.epoch === row.run_epoch;
    activity.set(row.id, { run: run.id, status, reasonCode, reasonMessage, isGoingOn });
  }
  return activity;
}

/** Returns the most urgent queued run of each integration. */
export async function listQueuedRuns(reader: Reader): Promise<Map<string, string>> {
  const rows = await reader
    .selectFrom('run_requests')
    .select((eb) => ['integration_id', eb.fn.min('run_id').as('run')])
    .where('left_at', 'is', null)
    .groupBy('integration_id')
    .execute();
  return new Map(rows.map(({ integration_id, run }) => [integration_id, run]));
}

export async function listLastSuccesses(
  reader: Reader,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .selectFrom('integrations as i')
    .select((eb) => [
      'i.id',
      eb
        .selectFrom('runs as r')
        .select((run) => run.fn.coalesce('r.finished_at', 'r.started_at').as('at'))
        .whereRef('r.integration_id', '=', 'i.id')
        .where('r.status', '=', 'succeeded')
        .orderBy('r.started_at', 'desc')
        .limit(1)
        .as('at'),
    ])
    .where('i.id', 'in', ids)
    .execute();
  return new Map(rows.flatMap(({ id, at }) => (at === null ? [] : [[id, Number(at)]])));
}

/** Lists the runs of these integrations since a time, oldest first. Includes only runs over all contacts. */
export async function listNightRuns(
  reader: Reader,
  ids: readonly string[],
  since: number,
): Promise<NightRun[]> {
  if (ids.length === 0) return [];
  const rows = await reader
    .selectFrom('runs')
    .select([
      'id',
      'integration_id as integrationId',
      'status',
      'reason_code as reasonCode',
      'started_at as startedAt',
      'spent_enhancements as spentEnhancements',
    ])
    .where('integration_id', 'in', ids)
    .where('started_at', '>=', since)
    .where('contact', '=', '')
    .orderBy('started_at', 'desc')
    .limit(MAX_RUNS)
    .execute();
  return rows.reverse();
}

export async function listSpentByClient(
  reader: Reader,
  since: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  if (since.size === 0) return new Map();
  const moments = Map.groupBy(since, ([, at]) => at);
  const rows = await reader
    .selectFrom('submissions')
    .select(({ fn }) => ['integration_id', fn.sum(fn.coalesce('charged', 'persons')).as('spent')])
    .where((eb) =>
      eb.or(
        [...moments].map(([at, those]) =>
          eb.and([
            eb(
              'integration_id',
              'in',
              those.map(([id]) => id),
            ),
            eb('intended_at', '>=', at),
          ]),
        ),
      ),
    )
    .groupBy('integration_id')
    .execute();
  return new Map(rows.map((row) => [row.integration_id, Number(row.spent)]));
}

/** Lists the next times of these integrations. Includes whether the schedule is paused. */
export async function listPlannedTimes(reader: Reader, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, { nextRunAt: number | null; paused: boolean }>();
  const rows = await reader
    .selectFrom('schedules')
    .select(['integration_id', 'next_run_at', 'paused'])
    .where('integration_id', 'in', ids)
    .execute();
  return new Map(
    rows.map(({ integration_id: id, next_run_at: nextRunAt, paused }) => [
      id,
      { nextRunAt, paused: paused === 1 },
    ]),
  );
}

export async function listPausedClients(reader: Reader): Promise<Set<string>> {
  const rows = await reader
    .selectFrom('schedules')
    .select('integration_id')
    .where('paused', '=', 1)
    .execute();
  return new Set(rows.map((row) => row.integration_id));
}

/** Finds runs by the first characters of their ID. Run IDs are in chronological order. */
export async function findRunsByPrefix(
  reader: Reader,
  prefix: string,
  limit: number,
): Promise<{ id: string; integrationId: string }[]> {
  return reader
    .selectFrom('runs')
    .select(['id', 'integration_id as integrationId'])
    .where('id', '>=', prefix)
    .where('id', '<', `${prefix}\u{10ffff}`)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

const NO_RUN: RunActivityRow = {
  run: null,
  status: null,
  isGoingOn: false,
  reasonCode: null,
  reasonMessage: null,
};

function listLastRuns(reader: TimedReader) {
  const inForce = leaseInForce(reader);
  return reader
    .selectFrom('integrations')
    .select(['id', 'last_run', 'run_epoch'])
    .select((eb) =>
      eb
        .case()
        .when(inForce(sql.ref('lease_until')))
        .then(1)
        .else(0)
        .end()
        .as('is_held'),
    )
    .execute();
}

async function findRuns(reader: Reader, ids: readonly string[]) {
  const found = [];
  for (const portion of inFilledBatches(ids)) {
    found.push(
      await reader
        .selectFrom('runs')
        .select(['id', 'epoch', 'status', 'reason_code', 'reason_message'])
        .where('id', 'in', portion)
        .execute(),
    );
  }
  return found.flat();
}
