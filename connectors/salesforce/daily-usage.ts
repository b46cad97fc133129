import type { LimitState } from '../contract.ts';
import { createDailyLimit, type DailyLimit } from '../requests/daily-limit.ts';

/** Returns the org's daily requests, of all its tools together. */
export function createOrgLimit(reservePercent: number): DailyLimit {
  return createDailyLimit(reservePercent, {
    allows: 'Salesforce allows the org',
    period: 'in 24 hours',
  });
}

/** Matches `Sforce-Limit-Info: api-usage=18/5000`. It counts all tools of the org together. */
const USAGE = /api-usage=(\d+)\/(\d+)/;

/** Returns the daily usage from a response's headers, or null if they contain none. */
export function dailyUsage(headers: Headers): LimitState['daily'] | null {
  const [, used, max] = USAGE.exec(headers.get('sforce-limit-info') ?? '') ?? [];
  if (used === undefined) return null;
  return { max: Number(max), remaining: Math.max(0, Number(max) - Number(used)) };
}
