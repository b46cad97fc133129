import { describe, expect, it } from 'vitest';
import { getAllowance, startOfMonth } from '../../src/credits/budget.ts';

const unlimited = { perRun: null, perMonth: null, keep: 0 };
const spent = { thisRun: 0, thisMonth: 0, balance: 1_000 };

describe('allowanceOf', () => {
  it('allows the whole bucket without a budget', () => {
    expect(getAllowance(unlimited, spent)).toMatchObject({
      credits: 1_000,
      limit: 'credits_exhausted',
    });
  });

  it('leaves the credits that are to be kept', () => {
    expect(getAllowance({ ...unlimited, keep: 400 }, spent)).toMatchObject({
      credits: 600,
      limit: 'budget_reached',
    });
  });

  it('counts what this run and this month have spent', () => {
    const budget = { perRun: 100, perMonth: 500, keep: 0 };
    expect(getAllowance(budget, { ...spent, thisRun: 30 }).credits).toBe(70);
    expect(getAllowance(budget, { ...spent, thisMonth: 480 }).credits).toBe(20);
  });

  it('names the tightest limit', () => {
    const budget = { perRun: 100, perMonth: 50, keep: 0 };
    expect(getAllowance(budget, spent).limitText).toContain('budget.perMonth');
    expect(getAllowance(budget, { ...spent, balance: 10 }).limit).toBe('credits_exhausted');
  });

  it('never allows less than nothing', () => {
    expect(getAllowance({ ...unlimited, keep: 5_000 }, spent).credits).toBe(0);
  });
});

describe('startOfMonth', () => {
  it('is midnight of the first day in the time zone', () => {
    const now = Date.UTC(2026, 10, 20, 12);
    expect(new Date(startOfMonth(now, 'UTC')).toISOString()).toBe('2026-11-01T00:00:00.000Z');
    // On November 1, daylight saving time ends in Chicago at two in the morning.
    expect(new Date(startOfMonth(now, 'America/Chicago')).toISOString()).toBe(
      '2026-11-01T05:00:00.000Z',
    );
    expect(new Date(startOfMonth(now, 'Pacific/Auckland')).toISOString()).toBe(
      '2026-10-31T11:00:00.000Z',
    );
  });

  it('belongs to the month that the zone is in, not to that of UTC', () => {
    const newYearsEveInChicago = Date.UTC(2027, 0, 1, 3);
    expect(new Date(startOfMonth(newYearsEveInChicago, 'America/Chicago')).toISOString()).toBe(
      '2026-12-01T06:00:00.000Z',
    );
  });
});
