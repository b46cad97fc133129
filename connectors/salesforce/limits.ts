import { RetriableError } from '../../src/core/errors.ts';
import type { LimitState } from '../contract.ts';

/** What Salesforce last said of the org's daily requests, and the share that is not ours. */
export interface DailyLimit {
  /** What the last answer said; null before the first. */
  state(): LimitState | null;
  /** Takes note of what an answer's headers say. */
  note(headers: Headers): void;
  /** Throws a RetriableError if the next request would be taken from the nonprofit's other tools. */
  guard(): void;
}

/** `Sforce-Limit-Info: api-usage=18/5000`; counts all tools of the org together. */
const USAGE = /api-usage=(\d+)\/(\d+)/;

/** Counts along with the answers; `reservePercent` of the daily requests stay untouched. */
export function createDailyLimit(reservePercent: number): DailyLimit {
  let daily: LimitState['daily'] | null = null;
  return {
    state: () => (daily === null ? null : { daily }),
    note(headers) {
      const [, used, max] = USAGE.exec(headers.get('sforce-limit-info') ?? '') ?? [];
      if (used !== undefined) {
        daily = { max: Number(max), remaining: Math.max(0, Number(max) - Number(used)) };
      }
    },
    guard() {
      if (daily === null || daily.remaining >= (daily.max * reservePercent) / 100) return;
      throw limitReached(daily, reservePercent);
    },
  };
}

function limitReached(daily: LimitState['daily'], reservePercent: number): RetriableError {
  const [remaining, max] = [daily.remaining, daily.max].map((count) =>
    count.toLocaleString('en-US'),
  );
  const message =
    `Salesforce allows the org ${max} requests in 24 hours and ${remaining} are left: the last ` +
    `${reservePercent} % are left to your other tools (crm.dailyReservePercent). The next run ` +
    'goes on from there.';
  return new RetriableError(message, { code: 'crm_limit_reached', details: { ...daily } });
}
