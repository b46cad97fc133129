/** Computes the times of schedules the slow way, by checking the local time of every minute. */

const MINUTE_MS = 60_000;

/** The parts of a cron line. Null stands for `*`. */
export interface CronLine {
  minutes: readonly number[] | null;
  hours: readonly number[] | null;
  days: readonly number[] | null;
  weekdays: readonly number[] | null;
}

/** A moment as a clock in the zone shows it. */
interface WallTime {
  atMs: number;
  /** The displayed time. If the clock shows the same time twice, the two strings are the same. */
  reading: string;
  minute: number;
  hour: number;
  day: number;
  weekday: number;
}

/** Returns the line as it is written in settings. */
export function textOf({ minutes, hours, days, weekdays }: CronLine): string {
  const [minute, hour, day, weekday] = [minutes, hours, days, weekdays].map(
    (numbers) => numbers?.join(',') ?? '*',
  );
  return `${minute} ${hour} ${day} * ${weekday}`;
}

/** Returns every minute of a period as a clock in this zone shows it. */
export function wallTimes(timezone: string, fromMs: number, untilMs: number): WallTime[] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const times: WallTime[] = [];
  for (let atMs = fromMs; atMs < untilMs; atMs += MINUTE_MS) {
    const parts = new Map(
      format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]),
    );
    const [year = 0, month = 0, day = 0] = [
      parts.get('year'),
      parts.get('month'),
      parts.get('day'),
    ];
    const [hour = 0, minute = 0] = [parts.get('hour'), parts.get('minute')];
    times.push(wallTimeOf(atMs, Date.UTC(year, month - 1, day, hour, minute)));
  }
  return times;
}

/** Returns the minutes at which a cron line is due. Implements the rules of `nextTime` differently. */
export function dueTimes(line: CronLine, times: readonly WallTime[]): number[] {
  const isFixed = line.minutes !== null && line.hours !== null;
  const seen = new Set<string>();
  const due: number[] = [];
  for (const [index, time] of times.entries()) {
    const isNew = !seen.has(time.reading);
    seen.add(time.reading);
    const isDue = fits(line, time) && (isNew || !isFixed);
    const before = times[index - 1];
    const leftOut = isFixed && before !== undefined && leftOutBetween(before, time).some(isMeant);
    if (isDue || leftOut) due.push(time.atMs);
  }
  return due;

  function isMeant(time: WallTime): boolean {
    return fits(line, time);
  }
}

function wallTimeOf(atMs: number, shownMs: number): WallTime {
  const shown = new Date(shownMs);
  return {
    atMs,
    reading: shown.toISOString(),
    minute: shown.getUTCMinutes(),
    hour: shown.getUTCHours(),
    day: shown.getUTCDate(),
    weekday: shown.getUTCDay(),
  };
}

/** Returns the times that the clock skipped between two consecutive minutes. */
function leftOutBetween(before: WallTime, after: WallTime): WallTime[] {
  const leftOut: WallTime[] = [];
  const first = Date.parse(before.reading) + MINUTE_MS;
  for (let shownMs = first; shownMs < Date.parse(after.reading); shownMs += MINUTE_MS) {
    leftOut.push(wallTimeOf(after.atMs, shownMs));
  }
  return leftOut;
}

function fits(line: CronLine, { minute, hour, day, weekday }: WallTime): boolean {
  const isTime = has(line.minutes, minute) && has(line.hours, hour);
  const [isDay, isWeekday] = [has(line.days, day), has(line.weekdays, weekday)];
  const isBoth = line.days !== null && line.weekdays !== null;
  // In every cron implementation, a line with a day of the month and a weekday is due on each of these days.
  return isTime && (isBoth ? isDay || isWeekday : isDay && isWeekday);
}

function has(numbers: readonly number[] | null, number: number): boolean {
  return numbers?.includes(number) ?? true;
}
