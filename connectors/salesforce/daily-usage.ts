import type { AnswerHeaders } from '../../src/outbound/exchange.ts';
import type { LimitState } from '../contract.ts';
import { createDailyLimit, type DailyLimit } from '../requests/daily-limit.ts';

export function createOrgLimit(reservePercent: number): DailyLimit {
  return createDailyLimit(reservePercent, {
    allows: 'Salesforce allows the org',
    period: 'in 24 hours',
  });
}

/** Matches `Sforce-Limit-Info: api-usage=18/5000`. The number includes the requests from all of the org's tools. */
const USAGE = /api-usage=(\d+)\/(\d+)/;

export function dailyUsage(headers: AnswerHeaders): LimitState['daily'] | null {
  const [, used, max] = USAGE.exec(headers.get('sforce-limit-info') ?? '') ?? [];
  if (used === undefined) return null;
  return { max: Number(max), remaining: Math.max(0, Number(max) - Number(used)) };
}
