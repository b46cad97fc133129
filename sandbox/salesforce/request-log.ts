/** What was asked of the org, for tests that count. */

import type { MiddlewareHandler } from 'hono';
import type { SalesforceEnv } from './context.ts';

/** How many requests are remembered; older ones are forgotten. */
const MAX_REQUESTS = 100_000;

/** One request; `status` is null where the connection was cut. */
export interface LoggedRequest {
  /** ISO time of arrival. */
  at: string;
  method: string;
  path: string;
  /** The query part of the URL, without its question mark. */
  query: string;
  status: number | null;
  timeMs: number;
}

/** The latest requests, oldest first. */
export interface RequestLog {
  add(request: LoggedRequest): void;
  list(): LoggedRequest[];
  /** How many there were in all, forgotten ones included. */
  total(): number;
}

/** Starts an empty log. */
export function createRequestLog(): RequestLog {
  const ring: LoggedRequest[] = [];
  let total = 0;
  return {
    add(request) {
      ring[total % MAX_REQUESTS] = request;
      total += 1;
    },
    list() {
      const oldest = total > MAX_REQUESTS ? total % MAX_REQUESTS : 0;
      return [...ring.slice(oldest), ...ring.slice(0, oldest)];
    },
    total: () => total,
  };
}

/** Outermost of all: writes a request down when it is answered. */
export function logRequests(
  log: RequestLog,
  clock: () => number,
): MiddlewareHandler<SalesforceEnv> {
  return async (c, next) => {
    const startedAtMs = clock();
    await next();
    log.add({
      at: new Date(startedAtMs).toISOString(),
      method: c.req.method,
      path: c.req.path,
      query: new URL(c.req.url).search.slice(1),
      status: c.env.incoming.socket.destroyed ? null : c.res.status,
      timeMs: clock() - startedAtMs,
    });
  };
}
