/**
 * Describes the times at which an integration runs automatically, in words and as a calendar. The calendar uses the
 * integration's time zone and shows its clock changes.
 */

import { isoTime } from '../../core/clock.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { TimedReader } from '../../database/reader.ts';
import { listRunRecords, type RunRecord } from '../../sync/statements/runs.ts';
import { type PlannedRuns, readPlannedRuns } from '../views/status.ts';
import { cronText } from './cron-text.ts';
import { shownAt } from './next-time.ts';
import { isScheduled, nextRunAt, type Scheduled } from './schedules.ts';

export interface PastNight {
  id: string;
  /** The time at which the run started (ISO 8601). */
  startedAt: string;
  status: string;
  reason: string | null;
  trigger: string;
}

/** A day in the integration's time zone. */
export interface CalendarDay {
  day: string;
  isToday: boolean;
  /** The runs that started on a past day, newest first, at most `SHOWN_OF_DAY`. */
  runs: PastNight[];
  /** The scheduled times of a coming day, at most `SHOWN_OF_DAY`. */
  times: string[];
  /** True if the day has more runs or times. */
  hasMore: boolean;
}

/** A change between summer time and winter time. */
export interface ClockChange {
  day: string;
  /** The number of minutes that the clock skips. Negative if the clock shows these minutes twice. */
  minutes: number;
  /** The local time of the day's first run, or null if there is no run. */
  runAt: string | null;
}

export interface ScheduleDetail {
  /** The schedule, or null if the integration runs only on request. */
  schedule: PlannedRuns | null;
  text: string | null;
  timezone: string;
  past: CalendarDay[];
  ahead: CalendarDay[];
  /** The next two clock changes. */
  changes: ClockChange[];
}

/** The number of past days and the number of coming days in the calendar. */
const DAYS = 30;

const SHOWN_OF_DAY = 4;

/** The maximum number of runs that are read for the past days. */
const MOST_RUNS = 500;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export async function readSchedule(
  reader: TimedReader,
  integration: Pick<Integration, 'id' | 'schedule'>,
): Promise<ScheduleDetail> {
  const now = reader.clock.now();
  const { id: integrationId, schedule } = integration;
  const planned = await readPlannedRuns(reader, integration);
  const timezone = schedule?.timezone ?? 'UTC';
  const runs = await listRunRecords(reader, { integrationId, limit: MOST_RUNS });
  return {
    schedule: planned,
    text: schedule === null ? null : cronText(schedule.cron),
    timezone,
    past: pastDays(runs, timezone, now),
    ahead: planned?.paused ? [] : listDaysAhead(integration, now),
    changes: isScheduled(integration) ? clockChanges(integration, now) : [],
  };
}

function pastDays(runs: readonly RunRecord[], timezone: string, now: number): CalendarDay[] {
  const byDay = Map.groupBy(runs, ({ startedAt }) => dayIn(startedAt, timezone));
  const today = dayIn(now, timezone);
  return Array.from({ length: DAYS }, (_, ago) => {
    const day = addDays(today, -ago);
    const own = byDay.get(day) ?? [];
    return {
      day,
      isToday: ago === 0,
      runs: own.slice(0, SHOWN_OF_DAY).map(({ id, startedAt, status, reasonCode, trigger }) => ({
        id,
        status,
        reason: reasonCode,
        trigger,
        startedAt: isoTime(startedAt),
      })),
      times: [],
      hasMore: own.length > SHOWN_OF_DAY,
    };
  });
}

/**
 * Lists the coming days with the scheduled times. A schedule with many times takes no longer than a schedule with few
 * times.
 */
function listDaysAhead(
  integration: Pick<Integration, 'id' | 'schedule'>,
  now: number,
): CalendarDay[] {
  if (!isScheduled(integration)) return [];
  const { timezone } = integration.schedule;
  const today = dayIn(now, timezone);
  const last = addDays(today, DAYS - 1);
  const days = new Map<string, CalendarDay>(
    Array.from({ length: DAYS }, (_, index) => {
      const day = addDays(today, index);
      return [day, { day, isToday: index === 0, runs: [], times: [], hasMore: false }];
    }),
  );
  let at = nextRunAt(integration, now);
  while (at !== null && dayIn(at, timezone) <= last) {
    const one = days.get(dayIn(at, timezone));
    if (one === undefined) break;
    if (one.times.length < SHOWN_OF_DAY) {
      one.times.push(timeIn(at, timezone));
      at = nextRunAt(integration, at);
      continue;
    }
    one.hasMore = true;
    at = nextRunAt(integration, endOfDay(at, timezone));
  }
  return [...days.values()];
}

/** Returns the end of a day. No day is longer than 25 hours. */
function endOfDay(at: number, timezone: string): number {
  const shown = shownAt(at, timezone);
  return at + (DAY_MS - (shown % DAY_MS)) - 1;
}

/** The number of days in which two clock changes are found. Clocks change at most twice a year. */
const LOOK_AHEAD_DAYS = 400;
const SHOWN_CHANGES = 2;

function clockChanges(integration: Scheduled, now: number): ClockChange[] {
  const { timezone } = integration.schedule;
  const changes: ClockChange[] = [];
  let before = offsetAt(now, timezone);
  for (let ahead = 1; ahead <= LOOK_AHEAD_DAYS && changes.length < SHOWN_CHANGES; ahead += 1) {
    const at = now + ahead * DAY_MS;
    const after = offsetAt(at, timezone);
    if (after === before) continue;
    const changedAt = findChange(at - DAY_MS, at, timezone);
    const day = dayIn(changedAt, timezone);
    const start = changedAt - (shownAt(changedAt, timezone) % DAY_MS) + (after - before);
    const run = nextRunAt(integration, start - 1);
    const isThatDay = run !== null && dayIn(run, timezone) === day;
    const runAt = isThatDay ? timeIn(run, timezone) : null;
    changes.push({ day, minutes: (after - before) / MINUTE_MS, runAt });
    before = after;
  }
  return changes;
}

/** Returns the first minute after the clock change between two times. */
function findChange(from: number, to: number, timezone: string): number {
  let [before, after] = [from, to];
  const offset = offsetAt(from, timezone);
  while (after - before > MINUTE_MS) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle, timezone) === offset) before = middle;
    else after = middle;
  }
  return after;
}

function offsetAt(at: number, timezone: string): number {
  const second = at - (at % 1_000);
  return shownAt(second, timezone) - second;
}

function dayIn(at: number, timezone: string): string {
  return new Date(shownAt(at, timezone)).toISOString().slice(0, 10);
}

function timeIn(at: number, timezone: string): string {
  return new Date(shownAt(at, timezone)).toISOString().slice(11, 16);
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}
