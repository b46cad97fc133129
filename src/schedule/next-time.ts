import { Cron } from 'croner';
import type { Schedule } from '../core/integration.ts';
import { firstShowing, shownAt } from './wall-clock.ts';

type Line = Pick<Schedule, 'cron' | 'timezone'>;

/**
 * When a line of cron comes true next, strictly after `afterMs` (epoch ms); null if never again.
 * Times are those of the clock on the wall: a fixed time that is left out when clocks go forward
 * comes true where they have jumped to, and one that comes twice when they go back counts once.
 * Lines with a wildcard or a step among minutes and hours follow the time that passes.
 */
export function nextTime(line: Line, afterMs: number): number | null {
  return hasFixedTimes(line) ? nextFixedTime(line, afterMs) : nextOf(line, afterMs);
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
    shownMs = nextOf({ cron, timezone: 'UTC' }, shownMs);
    if (shownMs === null) return null;
    const atMs = firstShowing(shownMs, timezone);
    if (atMs > afterMs) return atMs;
  }
  return null;
}

function nextOf({ cron, timezone }: Line, afterMs: number): number | null {
  const line = new Cron(cron, {
    timezone,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
    paused: true,
  });
  return line.nextRun(new Date(afterMs))?.getTime() ?? null;
}
