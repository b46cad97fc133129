/** World time: internally a fractional year, externally an ISO date. */

/**
 * The world stays at 1 July 2026: ages are as of that day, and nothing is dated after it. If it followed the clock, it
 * would be different tomorrow.
 */
export const WORLD_YEAR = 2026.5;

/** The same as an ISO day. */
export const WORLD_DAY = '2026-07-01';

/**
 * Returns the ISO day of a year with a fraction. For example, 1999.5 is 1999-07-01. The last day of a month is the
 * 28th.
 */
export function isoDay(year: number): string {
  const whole = Math.floor(year);
  const months = (year - whole) * 12;
  const month = Math.floor(months);
  const day = Math.floor((months - month) * 28);
  return `${whole}-${twoDigits(month + 1)}-${twoDigits(day + 1)}`;
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}
