/** The rate limit, with a token bucket for each key (service document, section 8). */

import type { MiddlewareHandler } from 'hono';
import type { ApiKey } from './keys.ts';

/** The rate at which the service allows requests with one key. */
export interface RateLimit {
  /** The number of requests per second. 0 means no limit. */
  ratePerSecond: number;
  /** The number of requests that the service accepts at one moment. */
  burst: number;
  /** True if a 429 has the header `Retry-After`, which contains the number of seconds to wait. */
  retryAfter: boolean;
}

/** Responds with 429 to requests above their key's limit. */
export function limitRate(
  limit: RateLimit,
  clock: () => number,
): MiddlewareHandler<{ Variables: { key: ApiKey } }> {
  const tokenBuckets = new Map<string, TokenBucket>();
  return async (c, next) => {
    if (limit.ratePerSecond === 0) {
      return next();
    }
    const { apiKey } = c.var.key;
    const filled = refill(tokenBuckets.get(apiKey), limit, clock());
    const passes = filled.tokens >= 1;
    tokenBuckets.set(apiKey, passes ? { ...filled, tokens: filled.tokens - 1 } : filled);
    if (passes) {
      return next();
    }
    if (limit.retryAfter) {
      c.header('Retry-After', String(Math.ceil((1 - filled.tokens) / limit.ratePerSecond)));
    }
    return c.json({ detail: 'Rate limit exceeded' }, 429);
  };
}

interface TokenBucket {
  tokens: number;
  atMs: number;
}

function refill(bucket: TokenBucket | undefined, limit: RateLimit, nowMs: number): TokenBucket {
  if (bucket === undefined) {
    return { tokens: limit.burst, atMs: nowMs };
  }
  const gained = (Math.max(0, nowMs - bucket.atMs) * limit.ratePerSecond) / 1000;
  return { tokens: Math.min(limit.burst, bucket.tokens + gained), atMs: nowMs };
}
