import { describe, expect, it } from 'vitest';
import {
  afterPoll,
  MAX_JOBS_PER_POLL,
  MAX_POLL_MS,
  MIN_POLL_MS,
  NOT_YET_POLLED,
  nextPoll,
} from '../../src/sync/poll-timing.ts';

const aFew = { count: 10, oldestAt: 10_000, isLast: false };
const none = { count: 0, oldestAt: null, isLast: false };

describe('nextPoll', () => {
  it('looks soon after the very first submission, to learn how long jobs take', () => {
    const { at } = nextPoll(NOT_YET_POLLED, aFew);
    expect(at).toBeGreaterThan(10_000);
    expect(at).toBeLessThan(10_000 + MIN_POLL_MS);
  });

  it('looks at all jobs again after the interval', () => {
    const timing = { intervalMs: 3_000, lastPollAt: 10_000, doneAfterMs: 4_000 };
    expect(nextPoll(timing, none)).toEqual({ at: 13_000, which: 'all' });
    expect(nextPoll(timing, { ...aFew, oldestAt: 10_500 })).toEqual({ at: 13_000, which: 'all' });
  });

  it('looks early at fresh jobs that fill a request, or that are the last ones', () => {
    const timing = { intervalMs: 5_000, lastPollAt: 10_000, doneAfterMs: 100 };
    const full = { count: MAX_JOBS_PER_POLL, oldestAt: 10_200, isLast: false };
    expect(nextPoll(timing, full)).toEqual({ at: 10_300, which: 'fresh' });
    const last = { count: 3, oldestAt: 10_200, isLast: true };
    expect(nextPoll(timing, last)).toEqual({ at: 10_300, which: 'fresh' });
  });

  it('does not look early before a job like them can be done', () => {
    const timing = { intervalMs: 2_000, lastPollAt: 10_000, doneAfterMs: 5_000 };
    const last = { count: 3, oldestAt: 10_200, isLast: true };
    expect(nextPoll(timing, last)).toEqual({ at: 12_000, which: 'all' });
  });
});

describe('afterPoll', () => {
  it('waits longer after each look in vain, at most five seconds', () => {
    let timing = NOT_YET_POLLED;
    const intervals: number[] = [];
    for (let look = 1; look <= 4; look++) {
      timing = afterPoll(timing, { at: look, which: 'all', doneAges: [] });
      intervals.push(timing.intervalMs);
    }
    expect(intervals).toEqual([3_000, 4_500, MAX_POLL_MS, MAX_POLL_MS]);
  });

  it('goes back to two seconds as soon as jobs come to an end', () => {
    const tired = { intervalMs: MAX_POLL_MS, lastPollAt: 1, doneAfterMs: null };
    const looked = afterPoll(tired, { at: 2, which: 'all', doneAges: [7_000, 6_000] });
    expect(looked).toEqual({ intervalMs: MIN_POLL_MS, lastPollAt: 2, doneAfterMs: 6_000 });
  });

  it('keeps its rhythm when only fresh jobs were looked at', () => {
    const timing = { intervalMs: 3_000, lastPollAt: 10_000, doneAfterMs: 400 };
    expect(afterPoll(timing, { at: 11_000, which: 'fresh', doneAges: [300] })).toEqual({
      ...timing,
      doneAfterMs: 300,
    });
  });
});
