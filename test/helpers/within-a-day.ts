import { type Clock, systemClock } from '../../src/core/clock.ts';

/** Longer than a test takes, but shorter than the allowed difference between two clocks. */
const [LEFT_MS, AHEAD_MS] = [180_000, 240_000];
const DAY_MS = 86_400_000;

/**
 * This machine's clock. If a day is about to end, the clock is moved into the next day, so neither a day nor a month
 * ends during a test that names its day.
 */
export function clockWithinADay(): Clock {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  const aheadMs = leftMs < LEFT_MS ? AHEAD_MS : 0;
  return { ...systemClock, now: () => Date.now() + aheadMs };
}
