import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portions } from '../../../src/store/engine/rows.ts';

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
