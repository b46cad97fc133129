/** Computes the delays before retries. */
import type { AnswerHeaders } from './exchange.ts';

/**
 * Returns the delay before a retry. The first delay is `firstMs`, and each further delay is twice as long as the
 * previous delay. `random` (from 0 up to 1) varies the delay by up to one half.
 */
export function backoffMs(firstMs: number, attempt: number, random?: () => number): number {
  return firstMs * 2 ** (attempt - 1) * (random === undefined ? 1 : 0.5 + random());
}

/**
 * Returns the time in a `Retry-After` header in milliseconds. The header contains seconds or an HTTP date. A date is
 * compared with the response's `Date` header, because clocks differ.
 */
export function retryAfterMs(headers: AnswerHeaders, nowMs: number): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  const untilMs = Date.parse(value);
  if (Number.isNaN(untilMs)) return null;
  const sentMs = Date.parse(headers.get('date') ?? '');
  return Math.max(0, untilMs - (Number.isNaN(sentMs) ? nowMs : sentMs));
}
