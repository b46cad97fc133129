import { expect, it } from 'vitest';
import { coverPairs } from './cover-pairs.ts';

it('contains every choice together with every other one, in few variants', () => {
  const variants = coverPairs<{ a?: number; b?: number; c?: number }>([
    [{ a: 0 }, { a: 1 }, { a: 2 }],
    [{ b: 0 }, { b: 1 }],
    [{ c: 0 }, { c: 1 }],
  ]);
  const pairs = (one: 'a' | 'b' | 'c', other: 'a' | 'b' | 'c') =>
    new Set(variants.map((variant) => `${variant[one]} ${variant[other]}`)).size;
  expect([pairs('a', 'b'), pairs('a', 'c'), pairs('b', 'c')]).toEqual([6, 6, 4]);
  expect(variants.length).toBeLessThanOrEqual(7);
});
