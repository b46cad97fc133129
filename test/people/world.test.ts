import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWorld, type Donor } from '../../people/world.ts';

function donorsOf(seed: number, donors: number): Donor[] {
  const world = createWorld({ seed, donors });
  return Array.from({ length: donors }, (_, n) => world.donor(n));
}

describe('createWorld', () => {
  it('computes a row the same whatever was asked for before', () => {
    const inOrder = createWorld({ seed: 11, donors: 1_000 });
    for (let n = 0; n < 700; n++) inOrder.crmPerson(n);
    const asked = fc.integer({ min: 0, max: 999 });
    fc.assert(
      fc.property(asked, (n) => {
        const fresh = createWorld({ seed: 11, donors: 1_000 });
        expect(fresh.donor(n)).toEqual(inOrder.donor(n));
        expect(fresh.crmPerson(n)).toEqual(inOrder.crmPerson(n));
      }),
      { numRuns: 50 },
    );
  });

  it('gives the same people for the same seed and others for another', () => {
    expect(donorsOf(5, 100)).toEqual(donorsOf(5, 100));
    const ids = new Set(donorsOf(5, 100).map(({ id }) => id));
    for (const seed of [6, -5, 5 + 2 ** 32]) {
      const others = donorsOf(seed, 100);
      expect(others.filter(({ id }) => ids.has(id))).toEqual([]);
      expect(others.map(({ name }) => name)).not.toEqual(donorsOf(5, 100).map(({ name }) => name));
    }
  });

  it('keeps everything but the boards and their nonprofits when the world grows', () => {
    const small = createWorld({ seed: 5, donors: 200 });
    const large = createWorld({ seed: 5, donors: 20_000 });
    for (let n = 0; n < 200; n++) {
      const aside = { boards: [], gifts: [], bio: [] };
      expect({ ...large.donor(n), ...aside }).toEqual({ ...small.donor(n), ...aside });
    }
  });

  it('survives JSON unchanged', () => {
    const world = createWorld({ seed: 3, donors: 500 });
    for (let n = 0; n < 500; n++) {
      for (const row of [world.donor(n), world.crmPerson(n)]) {
        expect(JSON.parse(JSON.stringify(row))).toEqual(row);
      }
    }
  });

  it('finds the number of a donor from the id alone', () => {
    const world = createWorld({ seed: 9, donors: 1_000 });
    const larger = createWorld({ seed: 9, donors: 1_001 });
    for (let n = 0; n < 1_000; n++) {
      const { id } = world.donor(n);
      expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(world.donorNumber(id)).toBe(n);
    }
    expect(world.donorNumber(larger.donor(1_000).id)).toBeNull();
    expect(world.donorNumber(world.donor(1).householdId ?? '')).toBeNull();
    expect(world.donorNumber(`${world.donor(1).id.slice(0, 31)}x`)).toBeNull();
    expect(world.donorNumber('no id')).toBeNull();
  });

  it('refuses numbers that no row has', () => {
    const world = createWorld({ seed: 1, donors: 10 });
    for (const n of [-1, 10, 1.5, Number.NaN]) expect(() => world.donor(n)).toThrow(RangeError);
    for (const n of [-1, 1.5, 2 ** 30]) expect(() => world.crmPerson(n)).toThrow(RangeError);
    expect(() => createWorld({ seed: 0.5, donors: 10 })).toThrow(RangeError);
    expect(() => createWorld({ seed: 1, donors: -1 })).toThrow(RangeError);
  });

  it('makes the smallest worlds too', () => {
    expect(createWorld({ seed: 1, donors: 0 }).crmPerson(0).donorId).toBeNull();
    const one = createWorld({ seed: 1, donors: 1 });
    expect(one.donorNumber(one.donor(0).id)).toBe(0);
  });
});
