/** The world's time: a year with a fraction internally, and an ISO date externally. */

/**
 * The world's time is always 1 July 2026. Ages are as of that day, and nothing is dated after it. If the time followed
 * the clock, the world would change every day.
 */
export const WORLD_YEAR = 2026.5;

/** `WORLD_YEAR` as an ISO date. */
export const WORLD_DAY = '2026-07-01';

/**
 * Converts a year with a decimal fraction to an ISO date. For example, 1999.5 is 1999-07-01. Every month is treated as
 * if it ended on the 28th.
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
