import { describe, expect, it } from 'vitest';
import { buildForecast, forecastText } from '../../src/credits/credit-forecast.ts';

const TODAY = '2026-11-22';

/** Returns this many credits for each of the days before today. */
function days(count: number, credits: number) {
  return Array.from({ length: count }, (_, index) => {
    const at = Date.parse(TODAY) - (index + 1) * 86_400_000;
    return { day: new Date(at).toISOString().slice(0, 10), credits };
  });
}

describe('forecastOf', () => {
  it('says on which day the last credit goes, and on how many days that rests', () => {
    const found = buildForecast(1_100, days(14, 50), TODAY);
    expect(found).toEqual({ usedUpOn: '2026-12-14', perDay: 50, days: 14, leftOut: null });
    expect(found && forecastText(found, 'enhancements', 'the key of Riverside')).toBe(
      'At this rate the enhancements of the key of Riverside are used up on 14 December 2026: 50 a day over the last 14 days.',
    );
  });

  it('counts the days without any credit, and today not at all', () => {
    const spent = days(14, 50).filter((_, index) => index % 2 === 1);
    const found = buildForecast(1_000, [...spent, { day: TODAY, credits: 900 }], TODAY);
    expect(found).toMatchObject({ perDay: 25, days: 14 });
  });

  it('leaves out the day of a first sync, and says so', () => {
    const [last] = days(20, 0).slice(-1);
    const spent = [...days(19, 10), { day: last?.day ?? '', credits: 5_000 }];
    const found = buildForecast(100, spent, TODAY);
    expect(found).toMatchObject({ perDay: 10, days: 19, leftOut: { credits: 5_000 } });
    expect(found && forecastText(found, 'enhancements', 'the key')).toContain(
      'without the 5,000 of 2 November 2026',
    );
  });

  it.each([
    ['a few days alone', 1_000, days(6, 50)],
    ['one day with spending', 1_000, days(20, 50).slice(-1)],
    ['nothing left', 0, days(14, 50)],
    ['an end that lies years ahead', 1_000_000, days(14, 1)],
    ['nothing spent', 1_000, []],
    ['spending long ago', 1_000, [{ day: '2026-01-01', credits: 500 }]],
  ])('says nothing of %s', (_, balance, spent) => {
    expect(buildForecast(balance, spent, TODAY)).toBeNull();
  });
});
