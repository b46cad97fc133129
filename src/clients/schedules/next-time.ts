import { Cron } from 'croner';
import type { Schedule } from '../../core/integration-settings.ts';

type Line = Pick<Schedule, 'cron' | 'timezone'>;

/**
 * When a line of cron comes true next, strictly after `afterMs` (epoch ms); null if never again.
 * Times are those of the clock on the wall: a fixed time that is left out when clocks go forward
 * comes true where they have jumped to, and one that comes twice when they go back counts once.
 * Lines with a wildcard or a step among minutes and hours follow the time that passes.
 */
export function nextTime(line: Line, afterMs: number): number | null {
  return hasFixedTimes(line) ? nextFixedTime(line, afterMs) : findNextTime(line, afterMs);
}

/**
 * `nextTime` for many: what it says of a moment it says of every later one, until that time comes. To ask
 * for the time of a line costs a third of a millisecond.
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

/** A clock that has gone back shows no more minutes than a day has for the second time. */
const MAX_LOOKS = 1_440;

/**
 * The line is read off the clock on the wall, as if that were in UTC: there it comes true at each of
 * its times, also at those that the zone leaves out.
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

/** The clock on the wall of a time zone. What it shows is given as epoch ms, as if it were in UTC. */

const DAY_MS = 86_400_000;

/** What the clock shows at an instant (epoch ms), to the second. */
export function shownAt(instantMs: number, timezone: string): number {
  const parts = createFormat(timezone).formatToParts(instantMs);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .filter(({ type }) => type !== 'literal')
    .map(({ value }) => Number(value));
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The first instant at which the clock shows this, or has jumped over it. */
export function firstShowing(shownMs: number, timezone: string): number {
  const offsets = [shownMs - DAY_MS, shownMs + DAY_MS].map((at) => shownAt(at, timezone) - at);
  const early = shownMs - Math.max(...offsets);
  const late = shownMs - Math.min(...offsets);
  const exact = [early, late].find((at) => shownAt(at, timezone) === shownMs);
  return exact ?? jumpBetween(early, late, shownMs, timezone);
}

/** Each step halves the time between; the longest jump is a day. */
const MAX_STEPS = 30;

/** When the clock jumps over what it does not show: after the one instant, at the other at the latest. */
function jumpBetween(early: number, late: number, shownMs: number, timezone: string): number {
  let [before, after] = [early, late];
  for (let step = 0; step < MAX_STEPS && after - before > 1; step += 1) {
    const middle = Math.floor((before + after) / 2);
    if (shownAt(middle, timezone) < shownMs) before = middle;
    else after = middle;
  }
  return after;
}

/** Numbers of a date in the order of the largest first: `2026-11-20 02:00:00`. */
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
