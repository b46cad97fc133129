/** When a failed request is sent again, as a plain calculation. */

/**
 * Starts with `firstMs` and doubles each time. If `random` (from 0 up to 1) is given, the delay varies by up
 * to a half.
 */
export function backoffMs(firstMs: number, attempt: number, random?: () => number): number {
  return firstMs * 2 ** (attempt - 1) * (random === undefined ? 1 : 0.5 + random());
}

/**
 * Returns the wait that a `Retry-After` header requests, in milliseconds. The header contains a number of
 * seconds or an HTTP date. A date is compared with the response's own `Date`, because the two clocks may
 * differ.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  const untilMs = Date.parse(value);
  if (Number.isNaN(untilMs)) return null;
  const sentMs = Date.parse(headers.get('date') ?? '');
  return Math.max(0, untilMs - (Number.isNaN(sentMs) ? nowMs : sentMs));
}
