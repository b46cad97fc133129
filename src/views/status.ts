/** Where an integration stands, read once for the command line, the HTTP API and the pages. */
import { isoTime } from '../core/clock.ts';
import type { Integration } from '../core/integration.ts';
import { countOf, formatCount } from '../core/quantities.ts';
import type { BucketReport, RunReport } from '../core/run.ts';
import type { Store } from '../store/store.ts';
import { reportOf } from './run.ts';

/** When an integration runs by itself. */
export interface PlannedRuns {
  /** Five fields of cron. */
  cron: string;
  timezone: string;
  /** ISO 8601; null while it is paused, before `serve` has planned it, or if it never comes true again. */
  nextRunAt: string | null;
  paused: boolean;
}

/** An integration and its runs. */
export interface IntegrationStatus {
  id: string;
  name: string | null;
  /** The kind of CRM. */
  crm: string;
  /** Null if it runs only by hand. */
  schedule: PlannedRuns | null;
  /** The run that began last, also one that goes on. */
  lastRun: RunReport | null;
  /** When a run succeeded last, ISO 8601. */
  lastSuccessAt: string | null;
}

type StatusStore = Pick<Store, 'runs' | 'schedules' | 'runRows' | 'networks'>;

export async function readStatus(
  store: StatusStore,
  integration: Integration,
): Promise<IntegrationStatus> {
  const { id, name, crm } = integration;
  const [last] = await store.runs.list({ integrationId: id, limit: 1 });
  return {
    id,
    name: name ?? null,
    crm: crm.kind,
    schedule: await readPlannedRuns(store, integration),
    lastRun: last ? await reportOf(store, last) : null,
    lastSuccessAt: await readLastSuccess(store, id),
  };
}

/** When an integration runs by itself; null if only by hand. */
export async function readPlannedRuns(
  { schedules }: Pick<Store, 'schedules'>,
  { id, schedule }: Pick<Integration, 'id' | 'schedule'>,
): Promise<PlannedRuns | null> {
  if (schedule === null) return null;
  const row = await schedules.find(id);
  const paused = row?.paused === 1;
  const next = paused ? null : (row?.nextRunAt ?? null);
  const { cron, timezone } = schedule;
  return { cron, timezone, paused, nextRunAt: next === null ? null : isoTime(next) };
}

/** When a run succeeded last, ISO 8601; null if none has. */
export async function readLastSuccess(
  { runs }: Pick<Store, 'runs'>,
  integrationId: string,
): Promise<string | null> {
  const [row] = await runs.list({ integrationId, status: 'succeeded', limit: 1 });
  return row ? isoTime(row.finishedAt ?? row.startedAt) : null;
}

/** What a run spent, one bucket at a time: credits of two buckets are never added up. */

/** `56 credits spent, 944 left`; what is left is said only if the service was asked. */
export function spentText({ spent, remaining }: BucketReport): string {
  const left = remaining === null ? '' : `, ${formatCount(remaining)} left`;
  return `${countOf(spent, 'credit')} spent${left}`;
}
