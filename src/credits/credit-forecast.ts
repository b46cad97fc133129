/** Predicts the date on which a key's credits will be used up. All functions are pure. */
import { describeCount, formatCount } from '../core/quantities.ts';

export interface SpentDay {
  day: string;
  credits: number;
}

export interface Forecast {
  usedUpOn: string;
  perDay: number;
  /** The number of days in the average, without today. */
  days: number;
  /**
   * A day with more than half of all spending, such as the day of a first sync. The average does not include this day.
   */
  leftOut: SpentDay | null;
}

/** The number of days before today on which a forecast is based. */
export const FORECAST_DAYS = 28;
const FEWEST_DAYS = 7;
const FEWEST_SPENT = 2;

/** The maximum number of days ahead. donor-sync shows no forecast for a later date. */
const MOST_DAYS_AHEAD = 730;

const DAY_MS = 86_400_000;

/**
 * Returns a forecast, or null if there is not enough data. A forecast needs spending on at least two days, a week since
 * the first credit, and remaining credits. The date of a forecast must not be years ahead.
 */
export function buildForecast(
  balance: number,
  spent: readonly SpentDay[],
  today: string,
): Forecast | null {
  const todayMs = Date.parse(today);
  const known = spent.filter(({ day, credits }) => {
    const agoMs = todayMs - Date.parse(day);
    return credits > 0 && agoMs > 0 && agoMs <= FORECAST_DAYS * DAY_MS;
  });
  const first = Math.min(...known.map(({ day }) => Date.parse(day)));
  const days = Math.round((todayMs - first) / DAY_MS);
  if (known.length < FEWEST_SPENT || days < FEWEST_DAYS || balance <= 0) return null;
  const all = known.reduce((sum, { credits }) => sum + credits, 0);
  const top = known.reduce((most, one) => (one.credits > most.credits ? one : most));
  const leftOut = top.credits * 2 > all && known.length > FEWEST_SPENT ? top : null;
  const counted = leftOut === null ? days : days - 1;
  const perDay = (all - (leftOut?.credits ?? 0)) / counted;
  const ahead = Math.floor(balance / perDay);
  if (ahead > MOST_DAYS_AHEAD) return null;
  const usedUpOn = new Date(todayMs + ahead * DAY_MS).toISOString().slice(0, 10);
  return { usedUpOn, perDay: Math.round(perDay * 10) / 10, days: counted, leftOut };
}

/**
 * Returns a sentence such as `At this rate the enhancements of the key of Riverside are used up on 14 December 2026:
 * …`.
 */
export function forecastText(forecast: Forecast, bucket: string, key: string): string {
  const { usedUpOn, perDay, days, leftOut } = forecast;
  const rate = `${perDay < 10 ? perDay : formatCount(perDay)} a day over the last ${describeCount(days, 'day')}`;
  const without =
    leftOut === null
      ? ''
      : `, without the ${formatCount(leftOut.credits)} of ${dayText(leftOut.day)}`;
  return `At this rate the ${bucket} of ${key} are used up on ${dayText(usedUpOn)}: ${rate}${without}.`;
}

/** Returns a date such as `14 December 2026`, from `2026-12-14`. */
export function dayText(day: string): string {
  dayFormat ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return dayFormat.format(new Date(day));
}

/** The date format. The format is created on first use, because creating it takes a few milliseconds. */
let dayFormat: Intl.DateTimeFormat | null = null;
