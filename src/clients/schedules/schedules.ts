/** Computes and stores the times at which integrations are synced. */
import { createHash } from 'node:crypto';
import { isoTime } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { Integration, Schedule } from '../../core/integration-settings.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { TimedReader } from '../../database/reader.ts';
import type { Store } from '../../database/store.ts';
import {
  deleteSchedule,
  endPause,
  findSchedule,
  listScheduleRecords,
  type ScheduleRecord,
  savePause,
  saveSchedules,
} from '../statements/schedules.ts';
import { createNextTimes, nextTime } from './next-time.ts';

export interface ScheduleDeps {
  store: Pick<Store, 'reader' | 'connection'>;
  clock: { now(): number };
}

/** An integration that runs automatically. */
export type Scheduled = Pick<Integration, 'id'> & { schedule: Schedule };

/** A schedule in the form for pages and JSON. */
export interface ScheduleView {
  integration: string;
  cron: string;
  timezone: string;
  /** The time of the next run in UTC (ISO 8601). Null if the schedule is paused or has no further time. */
  nextRunAt: string | null;
  paused: boolean;
}

export function isScheduled<Given extends Pick<Integration, 'id' | 'schedule'>>(
  integration: Given,
): integration is Given & Scheduled {
  return integration.schedule !== null;
}

/** Checks that all integrations have a schedule. Throws a ConfigurationError (conflict) if one of them has none. */
export function requireScheduled<Given extends Pick<Integration, 'id' | 'schedule'>>(
  integration: Given,
): Given & Scheduled {
  if (isScheduled(integration)) return integration;
  const { id } = integration;
  throw new ConfigurationError(
    `"${id}" has no schedule. Nothing was changed. Add one on the client's page "Schedule" or in the settings: schedule: { cron: "0 2 * * *", timezone: America/Chicago }`,
    { code: 'schedule_missing', refusal: 'conflict', details: { integration: id } },
  );
}

/**
 * Updates the stored schedules for the settings and the clock. New and changed schedules start from now (epoch ms).
 * Schedules that were planned with a fast clock are planned again. All schedules that were planned with a correct clock
 * keep their time, even if it has passed.
 */
export async function planSchedules(
  { store, clock }: ScheduleDeps,
  integrations: Iterable<Pick<Integration, 'id' | 'schedule'>>,
  now = clock.now(),
): Promise<void> {
  const rows = new Map(
    (await listScheduleRecords(store.reader)).map((row) => [row.integrationId, row]),
  );
  const timeAfter = createNextTimes();
  const planned: Omit<ScheduleRecord, 'paused'>[] = [];
  for (const integration of integrations) {
    const row = rows.get(integration.id);
    if (!isScheduled(integration)) {
      if (row) await deleteSchedule(store.connection, integration.id);
      continue;
    }
    const rule = toScheduleRule(integration.schedule);
    if (row?.rule === rule && !isTooFarAhead(integration, row, now, timeAfter)) continue;
    const { id: integrationId } = integration;
    planned.push({ integrationId, rule, nextRunAt: nextRunAt(integration, now, timeAfter) });
  }
  await saveSchedules(store.connection, planned);
}

/**
 * True if a fast clock planned the time. If the clock was set back shortly after a run, the stored time is still
 * correct. Planning it again would start a second run.
 */
function isTooFarAhead(
  integration: Scheduled,
  { nextRunAt: at }: ScheduleRecord,
  now: number,
  timeAfter: typeof nextTime,
) {
  const next = nextRunAt(integration, now, timeAfter);
  const secondNext = next === null ? null : nextRunAt(integration, next, timeAfter);
  return at !== null && secondNext !== null && at > secondNext;
}

/** Returns the rule of a schedule as text. If the text changes, the next time must be computed again. */
export function toScheduleRule({ cron, timezone, jitterMs }: Schedule): string {
  return `${cron} ${timezone} +${jitterMs}`;
}

/** Returns the time of the first run after this time (epoch ms), including the jitter. */
export function nextRunAt(
  { id, schedule }: Scheduled,
  afterMs: number,
  timeAfter = nextTime,
): number | null {
  const shareMs = jitterShareMs(id, schedule.jitterMs);
  const time = timeAfter(schedule, afterMs - shareMs);
  return time === null ? null : time + shareMs;
}

/** Returns an integration's share of the jitter. The share never changes, so the time between runs is constant. */
function jitterShareMs(integrationId: string, jitterMs: number): number {
  return createHash('sha256').update(integrationId).digest().readUInt32BE() % (jitterMs + 1);
}

export async function listSchedules(
  reader: TimedReader,
  integrations: Iterable<Integration>,
): Promise<ScheduleView[]> {
  const rows = new Map((await listScheduleRecords(reader)).map((row) => [row.integrationId, row]));
  return [...integrations]
    .filter(isScheduled)
    .map((integration) => toView(integration, rows.get(integration.id), reader.clock.now()));
}

export async function readScheduleView(
  reader: TimedReader,
  integration: Pick<Integration, 'id' | 'schedule'>,
): Promise<ScheduleView | null> {
  if (!isScheduled(integration)) return null;
  return toView(integration, await findSchedule(reader, integration.id), reader.clock.now());
}

function toView(
  integration: Scheduled,
  row: ScheduleRecord | undefined,
  now: number,
): ScheduleView {
  const { cron, timezone } = integration.schedule;
  const isPlanned = row?.rule === toScheduleRule(integration.schedule);
  const next = isPlanned ? row.nextRunAt : nextRunAt(integration, now);
  const paused = row?.paused === 1;
  const nextRun = next === null || paused ? null : isoTime(next);
  return { integration: integration.id, cron, timezone, nextRunAt: nextRun, paused };
}

/** Pauses a schedule until a user resumes it. Does not stop a run in progress. */
export async function pauseSchedule(trx: ActorTransaction, integration: Scheduled): Promise<void> {
  const store = { reader: trx, connection: trx };
  await planSchedules({ store, clock: trx.clock }, [integration]);
  await savePause(trx, integration.id);
}

/** Resumes a schedule. The next run is at the schedule's first time after now. */
export async function resumeSchedule(trx: ActorTransaction, integration: Scheduled): Promise<void> {
  await endPause(trx, integration.id, nextRunAt(integration, trx.clock.now()));
}
