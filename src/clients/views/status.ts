/** Reads an integration's status for the command line, the HTTP API and the pages. */
import { isoTime } from '../../core/clock.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { describeCount, formatCount } from '../../core/quantities.ts';
import type { BucketReport, RunReport } from '../../core/run.ts';
import type { Reader, TimedReader } from '../../database/reader.ts';
import { listNewestRuns, listRunRecords } from '../../sync/statements/runs.ts';
import { readReport } from '../../sync/views/run.ts';
import { readScheduleView } from '../schedules/schedules.ts';
import { listLastSuccesses, listPlannedTimes } from '../statements/run-activity.ts';

/** When an integration runs automatically. */
export interface PlannedRuns {
  /** Five fields of cron. */
  cron: string;
  timezone: string;
  /**
   * The next run (ISO 8601). Null while the schedule is paused, before `serve` has planned it, or if no further time
   * matches.
   */
  nextRunAt: string | null;
  paused: boolean;
}

/** An integration and its runs. */
export interface IntegrationStatus {
  id: string;
  name: string | null;
  /** The kind of CRM. */
  crm: string;
  /** Null if it runs only on request. */
  schedule: PlannedRuns | null;
  /** The run that started last, even if it is still in progress. */
  lastRun: RunReport | null;
  /** When a run last succeeded (ISO 8601). */
  lastSuccessAt: string | null;
}

/** The maximum number of integrations that are read together. */
const AT_ONCE = 500;

export async function readStatus(
  reader: Reader,
  integration: Integration,
): Promise<IntegrationStatus> {
  const [status] = await readStatuses(reader, [integration]);
  if (status === undefined) throw new Error('an integration has no status');
  return status;
}

/** Reads the status of many integrations, with a few queries for all of them. */
export async function readStatuses(
  reader: Reader,
  integrations: readonly Integration[],
): Promise<IntegrationStatus[]> {
  const statuses: IntegrationStatus[] = [];
  for (let from = 0; from < integrations.length; from += AT_ONCE) {
    const some = integrations.slice(from, from + AT_ONCE);
    const ids = some.map(({ id }) => id);
    const [runs, successes, planned] = await Promise.all([
      listNewestRuns(reader, ids, 1),
      listLastSuccesses(reader, ids),
      listPlannedTimes(reader, ids),
    ]);
    for (const integration of some) {
      const { id, name, crm } = integration;
      const [last] = runs.get(id) ?? [];
      const success = successes.get(id);
      statuses.push({
        id,
        name: name ?? null,
        crm: crm.kind,
        schedule: plannedRuns(integration, planned.get(id)),
        lastRun: last ? await readReport(reader, last) : null,
        lastSuccessAt: success === undefined ? null : isoTime(success),
      });
    }
  }
  return statuses;
}

/**
 * Returns when an integration runs automatically, according to its planned schedule. Returns null if it runs only on
 * request.
 */
export function plannedRuns(
  { schedule }: Pick<Integration, 'schedule'>,
  planned: { nextRunAt: number | null; paused: boolean } | undefined,
): PlannedRuns | null {
  if (schedule === null) return null;
  const { cron, timezone } = schedule;
  const paused = planned?.paused ?? false;
  const next = paused ? null : (planned?.nextRunAt ?? null);
  return { cron, timezone, paused, nextRunAt: next === null ? null : isoTime(next) };
}

/** Returns when an integration runs automatically, or null if it runs only on request. */
export async function readPlannedRuns(
  reader: TimedReader,
  integration: Pick<Integration, 'id' | 'schedule'>,
): Promise<PlannedRuns | null> {
  const view = await readScheduleView(reader, integration);
  if (view === null) return null;
  const { cron, timezone, nextRunAt, paused } = view;
  return { cron, timezone, nextRunAt, paused };
}

/** Returns when a run last succeeded (ISO 8601), or null if none has. */
export async function readLastSuccess(
  reader: Reader,
  integrationId: string,
): Promise<string | null> {
  const [row] = await listRunRecords(reader, {
    integrationId,
    status: 'succeeded',
    limit: 1,
  });
  return row ? isoTime(row.finishedAt ?? row.startedAt) : null;
}

/**
 * Returns a text such as `56 credits spent, 944 left`. Credits of two buckets are never added up. The credits that are
 * left are included only if the service was queried.
 */
export function spentText({ spent, remaining }: BucketReport): string {
  const left = remaining === null ? '' : `, ${formatCount(remaining)} left`;
  return `${describeCount(spent, 'credit')} spent${left}`;
}
