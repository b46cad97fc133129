import { expect, it } from 'vitest';
import { createSpread } from '../../src/sync/spread.ts';
import { testFingerprint } from '../database/store-world.ts';

const ids = Array.from({ length: 1_000 }, (_, index) => `c-${index}`);

function chosen(all: readonly string[], size: number): string[] {
  const spread = createSpread({ fingerprint: testFingerprint }, size);
  for (const id of all) spread.add(id);
  return spread.ids();
}

it('chooses so many, the same ones in whichever order they come', () => {
  const some = chosen(ids, 25);
  expect(new Set(some).size).toBe(25);
  expect(chosen(ids.toReversed(), 25)).toEqual(some);
  expect(chosen(ids, 5)).toEqual(some.slice(0, 5));
});

it('chooses from all parts alike', () => {
  const places = chosen(ids, 100).map((id) => ids.indexOf(id));
  for (const start of [0, 250, 500, 750]) {
    const here = places.filter((place) => place >= start && place < start + 250);
    expect(here.length).toBeGreaterThan(10);
  }
});

it('chooses all where there are few', () => {
  expect(chosen(['a', 'b'], 25).sort()).toEqual(['a', 'b']);
  expect(chosen([], 25)).toEqual([]);
});
