/** The time of the world. Inside this folder, it is a year with a fraction. Outside, it is an ISO date. */

/**
 * The time of the world is always 1 July 2026. All ages refer to that day, and no event is later. If the world used the
 * current time, it would change every day.
 */
export const WORLD_YEAR = 2026.5;

/** `WORLD_YEAR` as an ISO date. */
export const WORLD_DAY = '2026-07-01';

/**
 * Converts a year with a decimal fraction to an ISO date. For example, 1999.5 is 1999-07-01. The conversion assumes
 * that every month has 28 days.
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
