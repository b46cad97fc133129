/** Limits the number of requests per second. Bloomerang does not document a limit, so there is no limit by default. */
import type { MiddlewareHandler } from 'hono';
import { BloomerangError } from '../core/errors.ts';
import type { Variant, VariantBook } from '../core/variant.ts';
import type { BloomerangEnv } from './context.ts';

const SECOND_MS = 1000;

export function limitRequests(
  ratePerSecond: number,
  { clock, variant }: { clock: () => number; variant: VariantBook },
): MiddlewareHandler<BloomerangEnv> {
  let times: number[] = [];
  return async (c, next) => {
    if (c.var.fault?.kind === 'limit') throw tooMany(variant.current());
    if (ratePerSecond > 0) {
      const sinceMs = clock() - SECOND_MS;
      times = times.filter((atMs) => atMs > sinceMs);
      if (times.length >= ratePerSecond) throw tooMany(variant.current());
      times.push(clock());
    }
    return next();
  };
}

function tooMany({ throttling }: Variant): BloomerangError {
  if (throttling === 'unavailable') {
    return new BloomerangError(503, 'The service is unavailable.');
  }
  const retryAfterSeconds = throttling === 'retryAfter' ? 1 : null;
  return new BloomerangError(429, 'Too many requests.', { retryAfterSeconds });
}
