/** Represents days as numbers that fit into two bytes. Years are also represented by numbers. */

const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.UTC(1870, 0, 1);
const DAYS_IN_YEAR = 365.25;

/** The last day that fits into two bytes, in the year 2049. */
const LAST_DAY = 0xffff;

/**
 * Returns the number of days from the first day to an ISO date. A day outside the range is moved to the nearest end of
 * the range.
 */
export function dayOf(iso: string, last = LAST_DAY): number {
  return Math.max(0, Math.min(daysUpTo(iso), last));
}

/** Returns the number of the year that contains a day. In this calendar, all years have an equal length. */
export function yearOf(day: number): number {
  return Math.floor(day / DAYS_IN_YEAR);
}

/** Returns a day as the number of years from the first day, with a fraction. */
export function yearsAt(day: number): number {
  return day / DAYS_IN_YEAR;
}

export function calendarYear(day: number): number {
  return new Date(FIRST_DAY_MS + day * DAY_MS).getUTCFullYear();
}

function daysUpTo(iso: string): number {
  return (Date.parse(iso) - FIRST_DAY_MS) / DAY_MS;
}
