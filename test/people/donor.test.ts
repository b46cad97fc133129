import { describe, expect, it } from 'vitest';
import { createWorld, type Donor, type Role } from '../../people/world.ts';

const WORLD_DAY = '2026-07-01';
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const world = createWorld({ seed: 2026, donors: 20_000 });
const donors = Array.from({ length: world.donorCount }, (_, n) => world.donor(n));

describe('donor', () => {
  it('owns what US households own', () => {
    const lows = sorted(donors.map(({ netWorth }) => netWorth?.low ?? Number.NaN));
    const highs = sorted(donors.map(({ netWorth }) => netWorth?.high ?? Number.NaN));
    for (const [share, dollars] of [
      [0.5, 192_000],
      [0.9, 1_900_000],
      [0.99, 13_700_000],
    ] as const) {
      expect(quantile(lows, share)).toBeLessThan(dollars);
      expect(quantile(highs, share)).toBeGreaterThan(dollars);
    }
    const millionaires = shareOf(({ netWorth }) => (netWorth?.low ?? 0) >= 1_000_000);
    expect(millionaires).toBeGreaterThan(0.165);
    expect(millionaires).toBeLessThan(0.195);
    const withTenMillion = shareOf(({ netWorth }) => (netWorth?.low ?? 0) >= 10_000_000);
    expect(withTenMillion).toBeGreaterThan(0.011);
    expect(withTenMillion).toBeLessThan(0.02);
  });

  it('always has net worth, capacity, age, household and a home', () => {
    for (const donor of donors) {
      const { low, high } = donor.netWorth ?? { low: 0, high: 0 };
      const { political, nonprofit } = donor.capacity;
      expect(low).toBeLessThan(high);
      expect([low, high, political, nonprofit].every(Number.isInteger)).toBe(true);
      expect(political).toBeGreaterThan(0);
      expect(nonprofit).toBeGreaterThanOrEqual(political ?? Number.NaN);
      expect(2026 - (donor.birthYear ?? 0)).toBeGreaterThanOrEqual(25);
      expect(2026 - (donor.birthYear ?? 0)).toBeLessThanOrEqual(95);
      expect(donor.householdId).toMatch(/^[0-9a-f]{32}$/);
      expect(donor.addresses.length).toBeGreaterThan(0);
      expect(donor.bio.length).toBeGreaterThan(0);
    }
  });

  it('bears a real name, the common ones most often', () => {
    const counts = countBy(donors, ({ name }) => name.last);
    expect([...counts].sort((a, b) => b[1] - a[1]).at(0)?.[0]).toBe('Smith');
    for (const { name } of donors) {
      expect(name.first).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(name.last).toMatch(/^[A-Z][A-Za-z']+$/);
    }
    expect(shareOf(({ name }) => name.middle !== null)).toBeCloseTo(0.6, 1);
  });

  it('shares one address with the household and with no other person', () => {
    const homes = new Map<string, Set<string>>();
    for (const { householdId, addresses } of donors) {
      const households = homes.get(JSON.stringify(addresses[0])) ?? new Set();
      homes.set(JSON.stringify(addresses[0]), households.add(householdId ?? ''));
    }
    expect([...homes.values()].filter(({ size }) => size > 1)).toEqual([]);
    const households = countBy(donors, ({ householdId }) => householdId ?? '');
    expect(homes.size).toBe(households.size);
    expect(households.size / donors.length).toBeGreaterThan(0.5);
    expect(households.size / donors.length).toBeLessThan(0.7);
  });

  it('has namesakes elsewhere, and fathers and sons of one name under one roof', () => {
    const byName = Map.groupBy(donors, ({ name }) => `${name.first} ${name.middle} ${name.last}`);
    let elsewhere = 0;
    let atHome = 0;
    for (const [first, ...others] of byName.values()) {
      for (const other of others) {
        if (other.householdId === first?.householdId) atHome += 1;
        else elsewhere += 1;
      }
    }
    expect(elsewhere / donors.length).toBeGreaterThan(0.005);
    expect(elsewhere / donors.length).toBeLessThan(0.05);
    expect(atHome / donors.length).toBeGreaterThan(0.004);
    expect(atHome / donors.length).toBeLessThan(0.02);
  });

  it('stays four years with an employer, half of the time longer', () => {
    const years = donors.flatMap(({ work }) => work.map(yearsOf));
    expect(quantile(sorted(years), 0.5)).toBeGreaterThan(3.5);
    expect(quantile(sorted(years), 0.5)).toBeLessThan(4.5);
  });

  it("works for employers whose sizes follow Zipf's law", () => {
    const sizes = countBy(
      donors.flatMap(({ work }) => work),
      ({ organisationId }) => organisationId,
    );
    const ranked = [...sizes.values()].sort((a, b) => b - a);
    const ratio = (ranked[9] ?? 0) / (ranked[99] ?? 1);
    expect(ratio).toBeGreaterThan(7.5);
    expect(ratio).toBeLessThan(11);
    expect(ranked[0] ?? 0).toBeGreaterThan(3 * (ranked[9] ?? 0));
    expect(ranked.length).toBeGreaterThan(5_000);
  });

  it('sits on boards of the sizes that nonprofit boards have', () => {
    const sizes = countBy(
      donors.flatMap(({ boards }) => boards),
      ({ organisationId }) => organisationId,
    );
    const rising = sorted([...sizes.values()]);
    expect(quantile(rising, 0.1)).toBe(3);
    expect(quantile(rising, 0.5)).toBe(7);
    expect(quantile(rising, 0.9)).toBeGreaterThanOrEqual(16);
    expect(quantile(rising, 0.9)).toBeLessThanOrEqual(18);
    expect(quantile(rising, 0.99)).toBeGreaterThanOrEqual(32);
    expect(quantile(rising, 0.99)).toBeLessThanOrEqual(40);
    expect(shareOf(({ boards }) => boards.length > 1)).toBeGreaterThan(0.005);
  });

  it('never holds two seats of one board', () => {
    for (const { boards } of donors) {
      expect(new Set(boards.map(({ organisationId }) => organisationId)).size).toBe(boards.length);
    }
  });

  it('has a life whose dates are in order and none after the day of the world', () => {
    for (const { work, education, boards, gifts, birthYear } of donors) {
      for (const { start, end } of [...work, ...education, ...boards]) {
        expect(start).toMatch(DAY);
        expect(Number(start.slice(0, 4))).toBeGreaterThan((birthYear ?? 0) + 17);
        expect(end === null || (DAY.test(end) && end >= start && end <= WORLD_DAY)).toBe(true);
        expect(start <= WORLD_DAY).toBe(true);
      }
      for (const { date, amount } of gifts) {
        expect(DAY.test(date) && date <= WORLD_DAY).toBe(true);
        expect(Number.isInteger(amount) && amount > 0).toBe(true);
      }
      const starts = work.map(({ start }) => start);
      expect(starts).toEqual(sorted(starts).reverse());
    }
  });

  it('has classmates: cohorts of one school and one year', () => {
    const cohorts = countBy(
      donors.flatMap(({ education }) => education),
      ({ organisationId, start }) => `${organisationId} ${start}`,
    );
    expect(Math.max(...cohorts.values())).toBeGreaterThan(5);
  });
});

it('gives organisations of one kind names of their own', () => {
  const names = new Map<string, string>();
  for (const { work, education } of donors) {
    for (const { organisationId, organisationName } of [...work, ...education]) {
      expect(names.get(organisationName) ?? organisationId).toBe(organisationId);
      names.set(organisationName, organisationId);
    }
  }
});

function shareOf(holds: (donor: Donor) => boolean): number {
  return donors.filter(holds).length / donors.length;
}

function sorted<T extends number | string>(values: T[]): T[] {
  return values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function quantile(rising: number[], share: number): number {
  return rising[Math.floor(rising.length * share)] ?? Number.NaN;
}

function countBy<T>(list: T[], keyOf: (entry: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of list) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1);
  return counts;
}

function yearsOf({ start, end }: Role): number {
  const days = (Date.parse(end ?? WORLD_DAY) - Date.parse(start)) / 86_400_000;
  return days / 365.25;
}
