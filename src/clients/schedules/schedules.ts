/** The schedules of the integrations as they stand in the store. */
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

/** What schedules are read from and written to. */
export interface ScheduleDeps {
  store: Pick<Store, 'reader' | 'connection'>;
  clock: { now(): number };
}

/** An integration that runs by itself. */
export type Scheduled = Pick<Integration, 'id'> & { schedule: Schedule };

/** A schedule as people and programs read it. */
export interface ScheduleView {
  integration: string;
  cron: string;
  timezone: string;
  /** ISO 8601 in UTC; null while it is paused, or if it never comes true again. */
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
    `"${id}" has no schedule. Nothing was changed. Give it one on the client's page "Schedule" or in the settings: schedule: { cron: "0 2 * * *", timezone: America/Chicago }`,
    { code: 'schedule_missing', refusal: 'conflict', details: { integration: id } },
  );
}

/**
 * Brings the store in line with settings and clock: a schedule that is new or has changed is planned
 * from now on (epoch ms), and so is one that a clock which ran ahead has planned. Others keep their time, also
 * one that has passed meanwhile.
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
 * True if a time lies behind the next two. The second next is right after a run, when the clock was
 * set back a little: to plan that one anew would run twice.
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

/** What the time of a schedule is computed from; another text means that it is computed anew. */
export function toScheduleRule({ cron, timezone, jitterMs }: Schedule): string {
  return `${cron} ${timezone} +${jitterMs}`;
}

/** When an integration runs next after an instant (epoch ms), its share of the jitter included. */
export function nextRunAt(
  { id, schedule }: Scheduled,
  afterMs: number,
  timeAfter = nextTime,
): number | null {
  const shareMs = jitterShareMs(id, schedule.jitterMs);
  const time = timeAfter(schedule, afterMs - shareMs);
  return time === null ? null : time + shareMs;
}

/** The same for an integration at all times, so that each night has the same length. */
function jitterShareMs(integrationId: string, jitterMs: number): number {
  return createHash('sha256').update(integrationId).digest().readUInt32BE() % (jitterMs + 1);
}

/** The schedules of these integrations, in their order. */
export async function listSchedules(
  reader: TimedReader,
  integrations: Iterable<Integration>,
): Promise<ScheduleView[]> {
  const rows = new Map((await listScheduleRecords(reader)).map((row) => [row.integrationId, row]));
  return [...integrations]
    .filter(isScheduled)
    .map((integration) => toView(integration, rows.get(integration.id), reader.clock.now()));
}

/** The schedule of an integration; null if it has none. */
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

/** Stops a schedule until it is resumed; a run that is going on goes on. */
export async function pauseSchedule(trx: ActorTransaction, integration: Scheduled): Promise<void> {
  const store = { reader: trx, connection: trx };
  await planSchedules({ store, clock: trx.clock }, [integration]);
  await savePause(trx, integration.id);
}

/** Ends a pause; the next run is the next time of the schedule from now on. */
export async function resumeSchedule(trx: ActorTransaction, integration: Scheduled): Promise<void> {
  await endPause(trx, integration.id, nextRunAt(integration, trx.clock.now()));
}
