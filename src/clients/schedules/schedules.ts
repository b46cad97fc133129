/** Plans integrations' schedules in the store. */
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

/** The parts of the store for reading and writing schedules. */
export interface ScheduleDeps {
  store: Pick<Store, 'reader' | 'connection'>;
  clock: { now(): number };
}

/** An integration that runs automatically. */
export type Scheduled = Pick<Integration, 'id'> & { schedule: Schedule };

/** A schedule in the form for users and programs. */
export interface ScheduleView {
  integration: string;
  cron: string;
  timezone: string;
  /** The next run in UTC (ISO 8601). Null while the schedule is paused, or if no further time matches. */
  nextRunAt: string | null;
  paused: boolean;
}

/** True if an integration has a schedule. */
export function isScheduled<Given extends Pick<Integration, 'id' | 'schedule'>>(
  integration: Given,
): integration is Given & Scheduled {
  return integration.schedule !== null;
}

/** Throws a ConfigurationError (conflict) if an integration has no schedule. */
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
 * Updates the stored schedules to the settings and the clock. New and changed schedules are planned from now on (epoch
 * ms). So are schedules that were planned while the clock was ahead. All others keep their time, even if it has passed.
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
 * True if a time is later than the schedule's next two times. If the clock was set back a little right after a run, the
 * second next time is correct, because the next one would start a second run.
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

/** Returns the text from which the time of a schedule is computed. If the text changes, the time is computed again. */
export function toScheduleRule({ cron, timezone, jitterMs }: Schedule): string {
  return `${cron} ${timezone} +${jitterMs}`;
}

/**
 * Returns when an integration runs next after an instant (epoch ms), including its share of the
 * jitter.
 */
export function nextRunAt(
  { id, schedule }: Scheduled,
  afterMs: number,
  timeAfter = nextTime,
): number | null {
  const shareMs = jitterShareMs(id, schedule.jitterMs);
  const time = timeAfter(schedule, afterMs - shareMs);
  return time === null ? null : time + shareMs;
}

/** Returns an integration's share of the jitter. It is always the same, so the time between runs stays the same. */
function jitterShareMs(integrationId: string, jitterMs: number): number {
  return createHash('sha256').update(integrationId).digest().readUInt32BE() % (jitterMs + 1);
}

/** Returns the schedules of these integrations, in their order. */
export async function listSchedules(
  reader: TimedReader,
  integrations: Iterable<Integration>,
): Promise<ScheduleView[]> {
  const rows = new Map((await listScheduleRecords(reader)).map((row) => [row.integrationId, row]));
  return [...integrations]
    .filter(isScheduled)
    .map((integration) => toView(integration, rows.get(integration.id), reader.clock.now()));
}

/** Returns an integration's schedule, or null if it has none. */
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

/** Pauses a schedule until it is resumed. A run in progress continues. */
export async function pauseSchedule(trx: ActorTransaction, integration: Scheduled): Promise<void> {
  const store = { reader: trx, connection: trx };
  await planSchedules({ store, clock: trx.clock }, [integration]);
  await savePause(trx, integration.id);
}

/** Ends a pause. The next run is at the next time of the schedule from now on. */
export async function resumeSchedule(trx: ActorTransaction, integration: Scheduled): Promise<void> {
  await endPause(trx, integration.id, nextRunAt(integration, trx.clock.now()));
}
