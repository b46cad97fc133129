import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNextTimes, nextTime } from '../../../src/clients/schedules/next-time.ts';
import { type CronLine, dueTimes, textOf, wallTimes } from '../../jobs/wall-clock.ts';

const HOUR_MS = 3_600_000;

/** Lists the hour of each clock change in 2026, and time zones without clock changes. */
const CHANGES = [
  { timezone: 'America/Chicago', at: '2026-03-08T08:00:00Z' },
  { timezone: 'America/Chicago', at: '2026-11-01T07:00:00Z' },
  { timezone: 'Europe/Berlin', at: '2026-03-29T01:00:00Z' },
  { timezone: 'Europe/Berlin', at: '2026-10-25T01:00:00Z' },
  { timezone: 'Pacific/Auckland', at: '2026-04-04T14:00:00Z' },
  { timezone: 'Pacific/Auckland', at: '2026-09-26T14:00:00Z' },
  { timezone: 'America/St_Johns', at: '2026-03-08T05:30:00Z' },
  { timezone: 'America/St_Johns', at: '2026-11-01T04:30:00Z' },
  // Some clocks change at midnight, or by half an hour.
  { timezone: 'America/Nuuk', at: '2026-03-29T01:00:00Z' },
  { timezone: 'America/Havana', at: '2026-03-08T05:00:00Z' },
  { timezone: 'Australia/Lord_Howe', at: '2026-10-03T15:30:00Z' },
  { timezone: 'Asia/Kolkata', at: '2026-03-08T00:00:00Z' },
  { timezone: 'UTC', at: '2026-11-01T00:00:00Z' },
].map(({ timezone, at }) => {
  const fromMs = Date.parse(at) - 26 * HOUR_MS;
  const untilMs = Date.parse(at) + 30 * HOUR_MS;
  return { timezone, fromMs, untilMs, times: wallTimes(timezone, fromMs, untilMs) };
});

describe('nextTime', () => {
  it('finds each time of any line once, over both changes of the clocks, and no other', () => {
    fc.assert(
      fc.property(aLine(), fc.constantFrom(...CHANGES), (line, change) => {
        const { timezone, fromMs, untilMs, times } = change;
        const found = timesOf({ cron: textOf(line), timezone }, fromMs, untilMs);
        expect(found).toEqual(dueTimes(line, times).filter((atMs) => atMs > fromMs));
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['America/Chicago', '2026-03-08T08:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ])('runs in the night whose two o’clock is left out: %s', (timezone, expected) => {
    const fromMs = Date.parse(expected) - 12 * HOUR_MS;
    expect(isoTimes('30 2 * * *', timezone, fromMs)).toEqual([expected]);
  });

  it.each([
    ['America/Chicago', '2026-11-01T06:30:00.000Z', '30 1 * * *'],
    ['Europe/Berlin', '2026-10-25T00:30:00.000Z', '30 2 * * *'],
  ])('runs once in the night that has an hour twice: %s', (timezone, expected, cron) => {
    const fromMs = Date.parse(expected) - 12 * HOUR_MS;
    expect(isoTimes(cron, timezone, fromMs)).toEqual([expected]);
  });

  it('runs in the evening whose end is left out, when midnight comes at once', () => {
    const midnight = '2026-03-29T01:00:00.000Z';
    const fromMs = Date.parse(midnight) - 12 * HOUR_MS;
    expect(isoTimes('30 23 * * *', 'America/Nuuk', fromMs)).toEqual([midnight]);
    expect(isoTimes('30 23 * * 6', 'America/Nuuk', fromMs)).toEqual([midnight]);
  });

  it('knows when a line never comes true', () => {
    expect(nextTime({ cron: '0 2 31 2 *', timezone: 'UTC' }, 0)).toBeNull();
  });
});

type Rule = Parameters<typeof nextTime>[0];

/** Returns every scheduled time after the first time and before the second. */
function timesOf(rule: Rule, fromMs: number, untilMs: number): number[] {
  const found: number[] = [];
  let next = nextTime(rule, fromMs);
  while (next !== null && next < untilMs) {
    found.push(next);
    next = nextTime(rule, next);
  }
  return found;
}

/** Returns the scheduled times of a day in ISO form. */
function isoTimes(cron: string, timezone: string, fromMs: number): string[] {
  return timesOf({ cron, timezone }, fromMs, fromMs + 24 * HOUR_MS).map((atMs) =>
    new Date(atMs).toISOString(),
  );
}

function aLine(): fc.Arbitrary<CronLine> {
  return fc.record({
    minutes: someOrAll(0, 59),
    hours: fc.oneof(someOrAll(0, 4), someOrAll(22, 23)),
    days: someOrAll(1, 31),
    weekdays: someOrAll(0, 6),
  });
}

/**
 * Generates a list of a few numbers. Null stands for all numbers. If a test fails, fast-check reduces the list to small
 * numbers.
 */
function someOrAll(min: number, max: number): fc.Arbitrary<number[] | null> {
  return fc.option(
    fc
      .uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 })
      .map((numbers) => numbers.sort((a, b) => a - b)),
    { freq: 2 },
  );
}

describe('createNextTimes', () => {
  it('says what nextTime says, at each moment of a year and in any order', () => {
    const timeAfter = createNextTimes();
    const lines = [
      { cron: '30 2 * * *', timezone: 'America/Chicago' },
      { cron: '*/20 1-3 * * 1', timezone: 'Europe/Berlin' },
    ];
    const start = Date.parse('2026-01-01T00:00:00Z');
    for (let step = 0; step < 400; step += 1) {
      // Steps of 7,919 hours visit the hours of the year in a mixed order. The result must not depend on the order.
      const at = start + ((step * 7_919) % 8_760) * 3_600_000;
      for (const line of lines) expect(timeAfter(line, at)).toBe(nextTime(line, at));
    }
  });
});
