import type { LimitState } from '../contract.ts';
import { createDailyLimit, type DailyLimit } from '../daily-limit.ts';
import type { Limit } from './pacer.ts';

/** The daily requests of the account's private apps and service keys. */
export function createAccountLimit(reservePercent: number): DailyLimit {
  return createDailyLimit(reservePercent, {
    allows: 'HubSpot allows the account',
    period: 'a day',
  });
}

type Headers = Readonly<Record<string, string>>;

/** What an answer says of the day; searches and public apps are told nothing. */
export function dailyUsage(headers: Headers): LimitState['daily'] | null {
  const max = numberIn(headers, 'x-hubspot-ratelimit-daily');
  const remaining = numberIn(headers, 'x-hubspot-ratelimit-daily-remaining');
  return max === null || remaining === null ? null : { max, remaining };
}

/** The limit that an answer names, and what is left of it; null if it names none. */
export function limitOf(headers: Headers): { limit: Limit; remaining: number } | null {
  const requests = numberIn(headers, 'x-hubspot-ratelimit-max');
  const windowMs = numberIn(headers, 'x-hubspot-ratelimit-interval-milliseconds');
  if (requests === null || windowMs === null || requests < 1 || windowMs < 1) return null;
  const remaining = numberIn(headers, 'x-hubspot-ratelimit-remaining') ?? requests;
  return { limit: { requests, windowMs }, remaining };
}

function numberIn(headers: Headers, name: string): number | null {
  const text = headers[name];
  const value = Number(text);
  return text === undefined || text === '' || !Number.isFinite(value) ? null : value;
}
