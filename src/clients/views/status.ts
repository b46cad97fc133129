/** Reads an integration's status for the command line, the API and the pages. */
import { isoTime } from '../../core/clock.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { describeCount, formatCount } from '../../core/quantities.ts';
import type { BucketReport, RunReport } from '../../core/run.ts';
import type { Reader, TimedReader } from '../../database/reader.ts';
import { listNewestRuns, listRunRecords } from '../../sync/statements/runs.ts';
import { readReport } from '../../sync/views/run.ts';
import { readScheduleView } from '../schedules/schedules.ts';
import { listLastSuccesses, listPlannedTimes } from '../statements/run-activity.ts';

/** The times at which an integration runs automatically. */
export interface PlannedRuns {
  cron: string;
  timezone: string;
  /**
   * The time of the next run (ISO 8601). Null if the schedule is paused, is not planned yet, or has no further time.
   */
  nextRunAt: string | null;
  paused: boolean;
}

/** An integration and its runs. */
export interface IntegrationStatus {
  id: string;
  name: string | null;
  crm: string;
  /** The schedule, or null if the integration is synced only on request. */
  schedule: PlannedRuns | null;
  /** The last run, which may still be in progress. */
  lastRun: RunReport | null;
  /** The time of the last successful run (ISO 8601). */
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

/** Returns the planned runs, or null if the integration is synced only on request. */
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

export async function readPlannedRuns(
  reader: TimedReader,
  integration: Pick<Integration, 'id' | 'schedule'>,
): Promise<PlannedRuns | null> {
  const view = await readScheduleView(reader, integration);
  if (view === null) return null;
  const { cron, timezone, nextRunAt, paused } = view;
  return { cron, timezone, nextRunAt, paused };
}

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
 * Returns a text such as `56 credits spent, 944 left`. Credits of different buckets are never added up. The text
 * contains the remaining credits only if the run has read them from the service.
 */
export function spentText({ spent, remaining }: BucketReport): string {
  const left = remaining === null ? '' : `, ${formatCount(remaining)} left`;
  return `${describeCount(spent, 'credit')} spent${left}`;
}
