import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCount } from '../../src/core/quantities.ts';

describe('formatCount', () => {
  it('writes counts as they are written in English', () => {
    const format = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
    const count = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(count, (each) => {
        expect(formatCount(each)).toBe(format.format(each));
      }),
    );
  });

  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1,000'],
    [-1_234_567, '-1,234,567'],
    [999.5, '1,000'],
  ])('writes %d as %s', (count, text) => expect(formatCount(count)).toBe(text));
});
