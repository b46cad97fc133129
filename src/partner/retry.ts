import { backoffMs } from '../outbound/retry.ts';

/**
 * When a failed request is sent again, as plain calculation (service document, section 7.2,
 * rules 6 and 7). What may be sent again at all is decided in `verdict.ts`.
 */

/**
 * - `throttled`: a 429, the service did nothing.
 * - `serverError`: the documented 500, refunded.
 * - `transient`: no usable answer to a free call.
 * - `final`: sending it again is useless or dangerous.
 */
export type FailureKind = 'throttled' | 'serverError' | 'transient' | 'final';

/** How often a request may be sent in all while it meets nothing but 429. */
export const MAX_THROTTLED_TRIES = 5;
export const MAX_THROTTLED_WAIT_MS = 30_000;

/** The longest `Retry-After` that is waited for inside a call; a longer one is the caller's to plan. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** "Retry once after a short delay." */
export const MAX_SERVER_ERROR_TRIES = 2;
export const SERVER_ERROR_WAIT_MS = 1_000;

/** Waits of 1, 2, 4 and 8 seconds: long enough for a service that is being restarted. */
export const MAX_TRANSIENT_TRIES = 5;

/** The most requests that one call can cost, whatever it meets, in whatever order. */
export const MAX_TRIES = MAX_THROTTLED_TRIES + MAX_SERVER_ERROR_TRIES + MAX_TRANSIENT_TRIES;

/**
 * How long to wait, in milliseconds, after the `count`-th failure of this kind (from 1); null to
 * give up.
 */
export function retryDelayMs(
  kind: FailureKind,
  count: number,
  retryAfterMs: number | null,
): number | null {
  switch (kind) {
    case 'throttled':
      return throttledDelayMs(count, retryAfterMs);
    case 'serverError':
      return count < MAX_SERVER_ERROR_TRIES ? SERVER_ERROR_WAIT_MS : null;
    case 'transient':
      return count < MAX_TRANSIENT_TRIES ? backoffMs(1_000, count) : null;
    case 'final':
      return null;
  }
}

function throttledDelayMs(count: number, askedMs: number | null): number | null {
  if (count >= MAX_THROTTLED_TRIES) return null;
  if (askedMs === null) return Math.min(backoffMs(2_000, count), MAX_THROTTLED_WAIT_MS);
  return askedMs <= MAX_RETRY_AFTER_MS ? askedMs : null;
}
