import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inBatches, inFilledBatches } from '../../src/database/rows.ts';

describe('portions', () => {
  it('cuts any list into portions of few lengths, in order and without loss', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 1_000, size: 'max' }), (list) => {
        const cut = [...inBatches(list)];
        expect(cut.flat()).toEqual(list);
        const lengths = cut.map((portion) => portion.length);
        expect([100, 64, 32, 16, 8, 4, 2, 1]).toEqual(
          expect.arrayContaining([...new Set(lengths)]),
        );
        expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
      }),
    );
  });

  it('cuts nothing into no portions', () => {
    expect([...inBatches([])]).toEqual([]);
  });

  it.each([
    [100, [100]],
    [131, [100, 16, 8, 4, 2, 1]],
    [238, [100, 100, 32, 4, 2]],
  ])('cuts %i into as many of the longest as it gives', (length, lengths) => {
    const list = Array.from({ length }, (_, index) => index);
    expect([...inBatches(list)].map((portion) => portion.length)).toEqual(lengths);
  });
});

describe('filledPortions', () => {
  it('brings each value of any list, in order, in portions of few lengths', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 1_000, size: 'max' }), (list) => {
        const distinct = [...new Set(list)];
        const cut = [...inFilledBatches(distinct)];
        expect([...new Set(cut.flat())]).toEqual(distinct);
        expect(cut.flat().length - distinct.length).toBeLessThanOrEqual(distinct.length / 3);
        const lengths = cut.map((portion) => portion.length);
        expect([100, 64, 32, 16, 8, 4, 2, 1]).toEqual(
          expect.arrayContaining([...new Set(lengths)]),
        );
      }),
    );
  });

  it('fills what nearly gives a longer portion by its last value', () => {
    expect([...inFilledBatches([1, 2, 3])]).toEqual([[1, 2, 3, 3]]);
    expect([...inFilledBatches([])]).toEqual([]);
  });

  it.each([
    [1, [1]],
    [5, [4, 1]],
    [23, [16, 8]],
    [75, [100]],
    [98, [100]],
    [238, [100, 100, 32, 8]],
  ])('cuts %i into portions that are full or nearly so', (length, lengths) => {
    const list = Array.from({ length }, (_, index) => index);
    expect([...inFilledBatches(list)].map((portion) => portion.length)).toEqual(lengths);
  });
});
