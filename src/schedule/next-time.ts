import { Cron } from 'croner';
import type { Schedule } from '../core/integration.ts';

/**
 * When a line of cron comes true next, strictly after `afterMs` (epoch ms); null if never again.
 * Times are those of the clock on the wall: a fixed time that is left out when clocks go forward
 * comes true where they have jumped to, and one that comes twice when they go back counts once.
 * Lines with a wildcard or a step among minutes and hours follow the time that passes.
 */
export function nextTime(
  { cron, timezone }: Pick<Schedule, 'cron' | 'timezone'>,
  afterMs: number,
): number | null {
  const line = new Cron(cron, {
    timezone,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
    paused: true,
  });
  return line.nextRun(new Date(afterMs))?.getTime() ?? null;
}
