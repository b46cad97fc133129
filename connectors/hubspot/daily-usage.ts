import type { AnswerHeaders } from '../../src/outbound/exchange.ts';
import type { LimitState } from '../contract.ts';
import { createDailyLimit, type DailyLimit } from '../requests/daily-limit.ts';

/** Limits the daily requests of the account's private apps and service keys. */
export function createAccountLimit(reservePercent: number): DailyLimit {
  return createDailyLimit(reservePercent, {
    allows: 'HubSpot allows the account',
    period: 'a day',
  });
}

/**
 * Returns the daily usage, or null if the headers do not contain it. HubSpot's responses to searches and to public apps
 * do not contain the daily usage.
 */
export function dailyUsage(headers: AnswerHeaders): LimitState['daily'] | null {
  const max = readLimitHeader(headers, 'daily');
  const remaining = readLimitHeader(headers, 'daily-remaining');
  return max === null || remaining === null ? null : { max, remaining };
}

/** Returns the number in a header about limits, or null if the response has no such header. */
export function readLimitHeader(headers: AnswerHeaders, name: string): number | null {
  const text = headers.get(`x-hubspot-ratelimit-${name}`);
  const value = Number(text);
  return text === null || text === '' || !Number.isFinite(value) ? null : value;
}
