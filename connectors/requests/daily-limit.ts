import { z } from 'zod';
import { RetriableError } from '../../src/core/errors.ts';
import type { LimitState } from '../contract.ts';

/** The percentage of the daily requests that is reserved for the nonprofit's other tools. */
export const dailyReservePercentSchema = z.number().min(0).max(95).default(20);

/** Returns true if only the reserve for the other tools is left. */
export function isInReserve(
  { max, remaining }: LimitState['daily'],
  reservePercent: number,
): boolean {
  return remaining < (max * reservePercent) / 100;
}

/**
 * The account's daily requests, as last reported by the CRM. The number includes the requests that are reserved for
 * other tools.
 */
export interface DailyLimit {
  /** Returns the state from the last response, or null before the first response. */
  state(): LimitState | null;
  /** Stores the daily requests from a response. The state is null if the response contained no daily requests. */
  note(daily: LimitState['daily'] | null): void;
  /** Throws a RetriableError if the next request would use the reserve for the nonprofit's other tools. */
  guard(): void;
}

/**
 * Limits the requests per day. The state is updated with each response. donor-sync never uses the reserved share
 * (`reservePercent`) of the daily requests.
 */
export function createDailyLimit(reservePercent: number, words: LimitWords): DailyLimit {
  let daily: LimitState['daily'] | null = null;
  return {
    state: () => (daily === null ? null : { daily }),
    note(said) {
      if (said !== null) daily = said;
    },
    guard() {
      if (daily === null || !isInReserve(daily, reservePercent)) return;
      throw limitReached(daily, reservePercent, words);
    },
  };
}

/** The terms of the CRM's administrators. */
export interface LimitWords {
  /** The beginning of the sentence about the limit, for example `Salesforce allows the org`. */
  allows: string;
  /** The period, for example `in 24 hours`. */
  period: string;
}

function limitReached(
  daily: LimitState['daily'],
  reservePercent: number,
  { allows, period }: LimitWords,
): RetriableError {
  const [remaining, max] = [daily.remaining, daily.max].map((count) =>
    count.toLocaleString('en-US'),
  );
  const message =
    `${allows} ${max} requests ${period} and ${remaining} are left: the last ` +
    `${reservePercent} % are left to your other tools (crm.dailyReservePercent). The next run ` +
    'continues from there.';
  return new RetriableError(message, { code: 'crm_limit_reached', details: { ...daily } });
}
