import { describe, expect, it } from 'vitest';
import { MONEY_BANDS } from '../../src/mapping/money-bands.ts';
import { moneyRangeLabel, parseMoneyRange } from '../../src/mapping/money-range.ts';
import { startCpuTime } from '../helpers/cpu-time.ts';

describe('moneyRangeLabel', () => {
  it.each([
    [1_000_000, 5_000_000, '$1M – $5M'],
    [750_000, 1_000_000, '$750K – $1M'],
    [10_000_000, null, '$10M+'],
    [0, 25_000, '$0 – $25K'],
    [1_250_000, 999_999_999, '$1.25M – $1B'],
    [1_000_000, 1_000_000, '$1M'],
    [-50_000, 20_000, '-$50K – $20K'],
    [5_000_000, 1_000_000, '$1M – $5M'],
  ])('writes %d to %s as %s', (low, high, label) => {
    expect(moneyRangeLabel(low, high)).toBe(label);
  });
});

describe('MONEY_BANDS', () => {
  it('are written as the labels of ranges, without a gap between them', () => {
    const ranges = MONEY_BANDS.map((band) => parseMoneyRange(band) ?? { low: 0, high: 0 });
    const highs = ranges.map(({ high }) => (high === Number.POSITIVE_INFINITY ? null : high));
    expect(ranges.map(({ low }, at) => moneyRangeLabel(low, highs[at] ?? null))).toEqual(
      MONEY_BANDS,
    );
    expect(ranges.map(({ low }) => low)).toEqual([0, ...highs.slice(0, -1)]);
    expect(highs.at(-1)).toBeNull();
  });
});

describe('parseMoneyRange', () => {
  it.each(['$5', 'Over ', '127'])(
    'takes no time over a text that is made to take it (%s)',
    (start) => {
      const tookMs = startCpuTime();
      expect(parseMoneyRange(`${start}${' '.repeat(20_000)}x`)).toBeNull();
      expect(tookMs()).toBeLessThan(1_000);
    },
  );

  const infinity = Number.POSITIVE_INFINITY;
  it.each([
    ['$1M – $5M', 1e6, 5e6],
    ['$1,000,000 - $4,999,999', 1e6, 4_999_999],
    ['$1MM-$5MM', 1e6, 5e6],
    ['$1-5M', 1e6, 5e6],
    ['$500-1M', 500, 1e6],
    ['750k to 1m', 750_000, 1e6],
    ['$2.5 million up to $5 million', 2.5e6, 5e6],
    ['$10M+', 1e7, infinity],
    ['Over $10M', 1e7, infinity],
    ['$1B or more', 1e9, infinity],
    ['Under $25K', -infinity, 25_000],
    ['< 100', -infinity, 100],
    ['$5M', 5e6, 5e6],
  ])('reads %s', (option, low, high) => {
    expect(parseMoneyRange(option)).toEqual({ low, high });
  });

  it.each(['Tier 1', '', 'Unknown', '$5M - $1M', '$5 apples', 'A - B', '1 - 2 - 3'])(
    'finds no amounts in "%s"',
    (option) => {
      expect(parseMoneyRange(option)).toBeNull();
    },
  );

  it('reads back the labels it writes', () => {
    expect(parseMoneyRange(moneyRangeLabel(750_000, 2_500_000))).toEqual({
      low: 750_000,
      high: 2_500_000,
    });
  });
});
