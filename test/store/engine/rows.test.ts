import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filledPortions, portions } from '../../../src/store/engine/rows.ts';

describe('portions', () => {
  it('cuts any list into portions of few lengths, in order and without loss', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 1_000, size: 'max' }), (list) => {
        const cut = [...portions(list)];
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
    expect([...portions([])]).toEqual([]);
  });

  it.each([
    [100, [100]],
    [131, [100, 16, 8, 4, 2, 1]],
    [238, [100, 100, 32, 4, 2]],
  ])('cuts %i into as many of the longest as it gives', (length, lengths) => {
    const list = Array.from({ length }, (_, index) => index);
    expect([...portions(list)].map((portion) => portion.length)).toEqual(lengths);
  });
});

describe('filledPortions', () => {
  it('brings each value of any list in as few statements as there can be', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 1_000, size: 'max' }), (list) => {
        const cut = [...filledPortions(list)];
        const without = cut.map((portion, at) => portion.slice(0, list.length - at * 100));
        expect(without.flat()).toEqual(list);
        expect(cut).toHaveLength(Math.ceil(list.length / 100));
      }),
    );
  });

  it('fills the last portion up to a length that statements have, by its last value', () => {
    expect([...filledPortions([1, 2, 3])]).toEqual([[1, 2, 3, 3]]);
    expect([...filledPortions([])]).toEqual([]);
  });

  it.each([
    [1, [1]],
    [33, [64]],
    [65, [100]],
    [238, [100, 100, 64]],
  ])('has portions of the lengths that statements have for %i', (length, lengths) => {
    const list = Array.from({ length }, (_, index) => index);
    expect([...filledPortions(list)].map((portion) => portion.length)).toEqual(lengths);
  });
});
