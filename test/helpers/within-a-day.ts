import { type Clock, systemClock } from '../../src/core/clock.ts';

/** Both times are longer than a test. Both times are shorter than the allowed difference between two clocks. */
const [LEFT_MS, AHEAD_MS] = [180_000, 240_000];
const DAY_MS = 86_400_000;

/**
 * Returns this machine's clock. If the current day is about to end, the clock shows a time on the next day. Therefore,
 * no day and no month ends during a test that uses the date.
 */
export function clockWithinADay(): Clock {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  const aheadMs = leftMs < LEFT_MS ? AHEAD_MS : 0;
  return { ...systemClock, now: () => Date.now() + aheadMs };
}
