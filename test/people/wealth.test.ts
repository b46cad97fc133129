import { describe, expect, it } from 'vitest';
import { createDraw, gaussian } from '../../people/random.ts';
import { dollarsAt } from '../../people/wealth.ts';

describe('dollarsAt', () => {
  it('gives households the median, 90th and 99th percentile of the United States', () => {
    const draw = createDraw(1, 'test', 0);
    const dollars = Array.from({ length: 20_000 }, () => dollarsAt(gaussian(draw)));
    dollars.sort((a, b) => a - b);
    expect(within(0.08, dollars[10_000], 192_000)).toBe(true);
    expect(within(0.1, dollars[18_000], 1_900_000)).toBe(true);
    expect(within(0.2, dollars[19_800], 13_700_000)).toBe(true);
  });

  it('stays between a hundred dollars and two billion', () => {
    expect(dollarsAt(-9)).toBe(100);
    expect(dollarsAt(9)).toBe(2_000_000_000);
  });
});

function within(share: number, actual: number | undefined, wanted: number): boolean {
  return Math.abs((actual ?? Number.NaN) / wanted - 1) < share;
}
