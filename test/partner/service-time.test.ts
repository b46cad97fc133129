import { describe, expect, it } from 'vitest';
import { createServiceTime } from '../../src/partner/exchange.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/** Opens a machine whose clock is ahead of the service's clock by this much, and a service that responds. */
function open(aheadMs: number) {
  let uptimeMs = 50_000;
  let aheadNowMs = aheadMs;
  const bootAt = NOON - uptimeMs;
  const clock = { now: () => bootAt + uptimeMs + aheadNowMs, monotonicMs: () => uptimeMs };
  const time = createServiceTime(clock);
  return {
    time,
    pass(ms: number) {
      uptimeMs += ms;
    },
    setClock(byMs: number) {
      aheadNowMs += byMs;
    },
    /** Sends a request that arrives after `thereMs`. Its response arrives after a further `backMs`. */
    ask(thereMs: number, backMs: number, headers: Record<string, string> = {}) {
      const sentMs = uptimeMs;
      uptimeMs += thereMs;
      const date = new Date(bootAt + uptimeMs).toUTCString();
      uptimeMs += backMs;
      time.note(new Headers({ date, ...headers }), sentMs);
    },
  };
}

describe('the time of the service', () => {
  it('is not known before an answer has given it', () => {
    expect(open(YEAR_MS).time.aheadMs()).toBeNull();
  });

  it.each([0, 300, 20 * 60_000])('agrees with a clock that is right, %i ms away', (awayMs) => {
    const there = open(0);
    there.ask(awayMs, 0);
    expect(there.time.aheadMs()).toBe(0);
    const back = open(0);
    back.ask(0, awayMs);
    expect(back.time.aheadMs()).toBe(0);
  });

  it.each([HOUR_MS, -HOUR_MS, YEAR_MS, -YEAR_MS])(
    'shows a clock that is off by %i ms',
    (aheadMs) => {
      const { time, ask } = open(aheadMs);
      ask(200, 300);
      expect(Math.abs((time.aheadMs() ?? 0) - aheadMs)).toBeLessThanOrEqual(1_500);
    },
  );

  it('shows that the clock was set since, without another answer', () => {
    const { time, ask, pass, setClock } = open(0);
    ask(10, 10);
    pass(10 * HOUR_MS);
    expect(time.aheadMs()).toBe(0);
    setClock(HOUR_MS);
    expect(Math.abs((time.aheadMs() ?? 0) - HOUR_MS)).toBeLessThanOrEqual(1_500);
    ask(10, 10);
    setClock(-HOUR_MS);
    expect(time.aheadMs()).toBe(0);
  });

  it.each<[string, Record<string, string>]>([
    ['has none', { date: '' }],
    ['is not to be read', { date: 'at noon' }],
    ['comes out of a cache', { age: '31536000' }],
  ])('is not learnt from a date that %s', (_, headers) => {
    const { time, ask } = open(YEAR_MS);
    ask(10, 10, headers);
    expect(time.aheadMs()).toBeNull();
  });
});
