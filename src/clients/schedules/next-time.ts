import { Cron } from 'croner';
import type { Schedule } from '../../core/integration-settings.ts';

type Line = Pick<Schedule, 'cron' | 'timezone'>;

/**
 * Returns the next scheduled time after `afterMs` (epoch ms), or null if there is none. Schedules use local times. If a
 * fixed time is skipped when clocks go forward, the time of the clock change is used. If a time occurs twice when
 * clocks go back, it counts once. Wildcards and steps in minutes or hours follow the elapsed time.
 */
export function nextTime(line: Line, afterMs: number): number | null {
  return hasFixedTimes(line) ? nextFixedTime(line, afterMs) : findNextTime(line, afterMs);
}

/**
 * Creates a `nextTime` function for many calls. The function caches each result until its time is reached, because
 * computing a result takes a third of a millisecond.
 */
export function createNextTimes(): typeof nextTime {
  const known = new Map<string, { fromMs: number; next: number | null }[]>();
  return (line, afterMs) => {
    const key = `${line.cron} ${line.timezone}`;
    const spans = known.get(key) ?? [];
    known.set(key, spans);
    const span = spans.find(
      ({ fromMs, next }) => fromMs <= afterMs && (next === null || afterMs < next),
    );
    if (span) return span.next;
    const next = nextTime(line, afterMs);
    const sooner = spans.find((other) => other.next === next);
    if (sooner) sooner.fromMs = Math.min(sooner.fromMs, afterMs);
    else spans.push({ fromMs: afterMs, next });
    return next;
  };
}

function hasFixedTimes({ cron }: Line): boolean {
  const [minutes, hours] = cron.trim().split(/\s+/);
  return hours !== undefined && !/[*?/]/.test(`${minutes} ${hours}`);
}

/** The maximum number of minutes to check. When clocks go back, at most one day is repeated. */
const MAX_LOOKS = 1_440;

/**
 * Compares the expression with local times as if they were UTC. Therefore, it also finds local times that the time zone
 * skips.
 */
function nextFixedTime({ cron, timezone }: Line, afterMs: number): number | null {
  let shownMs: number | null = shownAt(afterMs, timezone);
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    shownMs = findNextTime({ cron, timezone: 'UTC' }, shownMs);
    if (shownMs === null) return null;
    const atMs = firstShowing(shownMs, timezone);
    if (atMs > afterMs) return atMs;
  }
  return null;
}

function findNextTime({ cron, timezone }: Line, afterMs: number): number | null {
  const line = new Cron(cron, {
    timezone,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
    paused: true,
  });
  return line.nextRun(new Date(afterMs))?.getTime() ?? null;
}

const DAY_MS = 86_400_000;

/** Returns the local time at a given time (epoch ms), to the second. */
export function shownAt(instantMs: number, timezone: string): number {
  const parts = createFormat(timezone).formatToParts(instantMs);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .filter(({ type }) => type !== 'literal')
    .map(({ value }) => Number(value));
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Returns the first time at which the clock shows this local time or has skipped it. */
export function firstShowing(shownMs: number, timezone: string): number {
  const offsets = [shownMs - DAY_MS, shownMs + DAY_MS].map((at) => shownAt(at, timezone) - at);
  const early = shownMs - Math.max(...offsets);
  const late = shownMs - Math.min(...offsets);
  const exact = [early, late].find((at) => shownAt(at, timezone) === shownMs);
  return exact ?? jumpBetween(early, late, shownMs, timezone);
}

/** The maximum number of steps. Each step halves the interval, and the longest clock change is a day. */
const MAX_STEPS = 30;

/** Finds the clock change that skips a local time. The change is after `early`, and at `late` or before it. */
function jumpBetween(early: number, late: number, shownMs: number, timezone: string): number {
  let [before, after] = [early, late];
  for (let step = 0; step < MAX_STEPS && after - before > 1; step += 1) {
    const middle = Math.floor((before + after) / 2);
    if (shownAt(middle, timezone) < shownMs) before = middle;
    else after = middle;
  }
  return after;
}

/** Formats a date and time with the largest unit first, such as `2026-11-20 02:00:00`. */
function createFormat(timezone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}
