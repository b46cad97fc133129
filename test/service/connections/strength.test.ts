import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FoundConnection } from '../../../service/connections/engine.ts';
import type { Donor, Role } from '../../../service/donor.ts';
import { aWorldOf } from '../hand-made-world.ts';
import { aDonor, aGift, aRole } from './donors.ts';
import { askEngine } from './open-engine.ts';

/** Months are counted from January 1960, and the world's time is fixed in July 2026. */
const LAST_MONTH = 12 * 66;
const RUNS = { numRuns: 60 };

const side = fc.constantFrom('work' as const, 'boards' as const, 'education' as const);
const colleagues = fc.integer({ min: 0, max: 40 });

/** Generates months in ascending order. */
function months(count: number) {
  return fc
    .uniqueArray(fc.integer({ min: 0, max: LAST_MONTH }), { minLength: count, maxLength: count })
    .map((list) => list.toSorted((a, b) => a - b));
}

describe('the strength of a connection', () => {
  it('the strength is above 0 and below 1 if two people were together for a year', () => {
    fc.assert(
      fc.property(
        side,
        colleagues,
        fc.integer({ min: 0, max: LAST_MONTH - 12 }),
        (key, count, from) => {
          const role = roleAt(from, from + 12);
          const strength = strengthOf(aDonor({ [key]: [role] }), aDonor({ [key]: [role] }), [
            ...crowd(key, count),
          ]);
          expect(strength).toBeGreaterThan(0);
          expect(strength).toBeLessThan(1);
        },
      ),
      RUNS,
    );
  });

  it('the strength never falls if two people were together for a longer time', () => {
    fc.assert(
      fc.property(side, colleagues, months(4), (key, count, times) => {
        const [from = 0, start = 0, end = 0, to = 0] = times;
        const whole = aDonor({ [key]: [roleAt(from, to)] });
        const part = aDonor({ [key]: [roleAt(start, end)] });
        const longer = aDonor({ [key]: [roleAt(start, to)] });
        const others = crowd(key, count);
        expect(strengthOf(whole, longer, others)).toBeGreaterThanOrEqual(
          strengthOf(whole, part, others),
        );
      }),
      RUNS,
    );
  });

  it('the strength never rises if the shared organisation was bigger', () => {
    fc.assert(
      fc.property(side, colleagues, months(2), months(2), (key, count, times, their) => {
        const [a, b] = pair(key, times);
        const [from = 0, to = 0] = their;
        const others = crowd(key, count);
        const more = [...others, aDonor({ [key]: [roleAt(from, to)] })];
        expect(strengthOf(a, b, more)).toBeLessThanOrEqual(strengthOf(a, b, others));
      }),
      RUNS,
    );
  });

  it('depends on the size at that time, not on the size before or after', () => {
    const [a, b] = pair('work', [120, 240]);
    const before = Array.from({ length: 30 }, () => aDonor({ work: [roleAt(0, 108)] }));
    const after = Array.from({ length: 30 }, () => aDonor({ work: [roleAt(252, 600)] }));
    const during = Array.from({ length: 30 }, () => aDonor({ work: [roleAt(120, 240)] }));
    expect(strengthOf(a, b, [...before, ...after])).toBe(strengthOf(a, b, []));
    expect(strengthOf(a, b, during)).toBeLessThan(strengthOf(a, b, []));
  });

  it('the strength never rises if the shared time was longer ago', () => {
    fc.assert(
      fc.property(side, months(3), fc.integer({ min: 1, max: 20 }), (key, times, earlier) => {
        const [from = 0, middle = 0, to = 0] = times;
        const moved = (by: number): [Donor, Donor] => [
          aDonor({ [key]: [roleAt(from - by, to - by)] }),
          aDonor({ [key]: [roleAt(middle - by, to - by)] }),
        ];
        // Months differ by a day or two, so the shift is a whole number of leap-year cycles.
        expect(strengthOf(...moved(48 * earlier), [])).toBeLessThanOrEqual(
          strengthOf(...moved(0), []),
        );
      }),
      RUNS,
    );
  });

  it('never falls with a further organisation that two people share', () => {
    fc.assert(
      fc.property(side, side, months(2), months(2), (key, otherKey, times, their) => {
        const [from = 0, to = 0] = their;
        const further = { ...roleAt(from, to), organisationId: 'further' };
        const [a, b] = pair(key, times);
        const withFurther = (donor: Donor) => ({
          ...donor,
          [otherKey]: [...donor[otherKey], further],
        });
        expect(strengthOf(withFurther(a), withFurther(b), [])).toBeGreaterThanOrEqual(
          strengthOf(a, b, []),
        );
      }),
      RUNS,
    );
  });

  it('is the same from both sides, and described the same', () => {
    fc.assert(
      fc.property(side, side, months(4), (key, otherKey, [p = 0, q = 0, r = 0, s = 0]) => {
        const one = aDonor({ [key]: [roleAt(p, r)] });
        const other = aDonor({ [otherKey]: [roleAt(q, s)] });
        const world = aWorldOf([one, other]);
        const [there, back] = askEngine(world, (engine) => [
          engine.between(0, 1),
          engine.between(1, 0),
        ]);
        expect(there).not.toBeNull();
        expect(back).toEqual({ ...there, donor: 0, ...swapped(there) });
      }),
      RUNS,
    );
  });

  it('does not exist between two people who were never there at the same time', () => {
    fc.assert(
      fc.property(side, months(4), (key, [a = 0, b = 0, c = 0, d = 0]) => {
        const world = aWorldOf([
          aDonor({ [key]: [roleAt(a, b)] }),
          aDonor({ [key]: [roleAt(c, d)] }),
        ]);
        expect(askEngine(world, (engine) => engine.between(0, 1))).toBeNull();
      }),
      RUNS,
    );
  });

  it('does not exist where one left on the day on which the other came', () => {
    const world = aWorldOf([aDonor({ work: [roleAt(0, 60)] }), aDonor({ work: [roleAt(60, 90)] })]);
    expect(askEngine(world, (engine) => engine.between(0, 1))).toBeNull();
  });

  it('joins supporters who gave within the same year, and no others', () => {
    const given = (day: string) => aDonor({ gifts: [aGift('Opera', day)] });
    expect(strengthOf(given('2020-01-10'), given('2020-11-10'), [])).toBeGreaterThan(0);
    expect(strengthOf(given('2020-01-10'), given('2021-03-10'), [])).toBe(0);
  });

  it('is highest for a small board, and next to nothing for a huge employer', () => {
    const board = aDonor({ boards: [roleAt(600, 720)] });
    const staff = aDonor({ work: [roleAt(600, 720)] });
    const seven = Array.from({ length: 5 }, () => board);
    const thousands = Array.from({ length: 5_000 }, () => staff);
    expect(strengthOf(board, board, seven)).toBeGreaterThan(0.9);
    expect(strengthOf(staff, staff, thousands)).toBeLessThan(0.05);
  });
});

function strengthOf(one: Donor, other: Donor, others: readonly Donor[]): number {
  const world = aWorldOf([one, other, ...others]);
  return askEngine(world, (engine) => engine.between(0, 1)?.strength ?? 0);
}

function pair(key: 'work' | 'boards' | 'education', [from = 0, to = 0]: number[]): [Donor, Donor] {
  return [aDonor({ [key]: [roleAt(from, to)] }), aDonor({ [key]: [roleAt(from, to)] })];
}

/** Creates people who are members for the whole time. */
function crowd(key: 'work' | 'boards' | 'education', count: number): Donor[] {
  return Array.from({ length: count }, () => aDonor({ [key]: [roleAt(0, LAST_MONTH)] }));
}

function roleAt(from: number, to: number): Role {
  return aRole('Mill', dayOf(from), dayOf(to));
}

function dayOf(month: number): string {
  return new Date(Date.UTC(1960, month, 1)).toISOString().slice(0, 10);
}

function swapped(connection: FoundConnection | null) {
  return {
    sourceRelationship: connection?.targetRelationship,
    targetRelationship: connection?.sourceRelationship,
  };
}
