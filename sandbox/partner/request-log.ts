/** What was asked of the service, for tests that count. */

import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';

/** How many requests are remembered; older ones are forgotten. */
const MAX_REQUESTS = 100_000;

/** One request; `status` is null where the connection was cut. */
export interface LoggedRequest {
  requestId: string;
  /** ISO time of arrival. */
  at: string;
  apiKey: string | null;
  method: string;
  path: string;
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

/** Outermost of all: gives the request its id and writes it down when it is answered. */
export function logRequests(
  log: RequestLog,
  clock: () => number,
  createId: () => string,
): MiddlewareHandler<{ Bindings: HttpBindings; Variables: { requestId: string } }> {
  return async (c, next) => {
    const startedAtMs = clock();
    c.set('requestId', createId());
    await next();
    log.add({
      requestId: c.var.requestId,
      at: new Date(startedAtMs).toISOString(),
      apiKey: c.req.header('x-api-key') ?? null,
      method: c.req.method,
      path: c.req.path,
      status: isCut(c.env) ? null : c.res.status,
      timeMs: clock() - startedAtMs,
    });
  };
}

function isCut({ incoming }: HttpBindings): boolean {
  return incoming.socket.destroyed;
}
