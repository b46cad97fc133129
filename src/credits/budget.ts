import type { CreditLimits } from '../core/integration-settings.ts';
import { describeCount } from '../core/quantities.ts';
import type { Bucket } from '../partner/buckets.ts';

export interface SpendingSoFar {
  /** The credits that this run has spent. `thisMonth` includes all runs of this calendar month. */
  thisRun: number;
  thisMonth: number;
  /** The current number of credits in the bucket. */
  balance: number;
}

/** The limits of a run. Null means no limit. */
export type RunLimits = CreditLimits & { limit?: number | null };

export interface Allowance {
  credits: number;
  /** The limit that stops the spending. */
  limit: 'budget_reached' | 'credits_exhausted';
  /** The limit as text, for the report. */
  limitText: string;
}

/** A bucket, and the settings that limit it. */
export interface SpendingLimits {
  bucket: Bucket;
  setting: string;
}

const ENHANCEMENTS: SpendingLimits = { bucket: 'enhancements', setting: 'budget' };

export function getAllowance(
  budget: RunLimits,
  spent: SpendingSoFar,
  { bucket, setting }: SpendingLimits = ENHANCEMENTS,
): Allowance {
  const limits: Allowance[] = [
    {
      credits: spent.balance,
      limit: 'credits_exhausted',
      limitText: `the ${bucket} bucket of the service key is empty`,
    },
  ];
  if (budget.keep > 0) {
    limits.push({
      credits: spent.balance - budget.keep,
      limit: 'budget_reached',
      limitText: `at least ${describeCount(budget.keep, 'credit')} must be kept (${setting}.keep)`,
    });
  }
  if (budget.perRun !== null) {
    limits.push({
      credits: budget.perRun - spent.thisRun,
      limit: 'budget_reached',
      limitText: `a run may spend at most ${describeCount(budget.perRun, 'credit')} (${setting}.perRun)`,
    });
  }
  if (budget.perMonth !== null) {
    limits.push({
      credits: budget.perMonth - spent.thisMonth,
      limit: 'budget_reached',
      limitText: `at most ${describeCount(budget.perMonth, 'credit')} may be spent in a month (${setting}.perMonth)`,
    });
  }
  if (budget.limit != null) {
    limits.push({
      credits: budget.limit - spent.thisRun,
      limit: 'budget_reached',
      limitText: `this run may spend at most ${describeCount(budget.limit, 'credit')} (--limit ${budget.limit})`,
    });
  }
  const tightest = limits.reduce((a, b) => (b.credits < a.credits ? b : a));
  return { ...tightest, credits: Math.max(0, tightest.credits) };
}

/** Returns the start of the current month in a time zone (epoch ms). */
export function startOfMonth(now: number, timeZone: string): number {
  const { year, month } = toCalendarParts(now, timeZone);
  // The local time at midnight UTC shows the time zone's offset at the start of the month.
  const midnightUtc = Date.UTC(year, month - 1, 1);
  const first = midnightUtc - offsetMs(midnightUtc, timeZone);
  return midnightUtc - offsetMs(first, timeZone);
}

function offsetMs(instant: number, timeZone: string): number {
  const c = toCalendarParts(instant, timeZone);
  const asUtc = Date.UTC(c.year, c.month - 1, c.day, c.hour, c.minute, c.second);
  return asUtc - Math.floor(instant / 1000) * 1000;
}

/** Returns a time zone's date format. The format is cached, because creating it takes much longer than using it. */
function calendarIn(timeZone: string): Intl.DateTimeFormat {
  const known = calendars.get(timeZone);
  if (known !== undefined) return known;
  const calendar = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  calendars.set(timeZone, calendar);
  return calendar;
}

const calendars = new Map<string, Intl.DateTimeFormat>();

function toCalendarParts(instant: number, timeZone: string) {
  const parts = calendarIn(timeZone).formatToParts(instant);
  const value = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value);
  return {
    year: value('year'),
    month: value('month'),
    day: value('day'),
    hour: value('hour'),
    minute: value('minute'),
    second: value('second'),
  };
}
