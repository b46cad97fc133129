/** Records the requests to a sandbox, so that tests can count them. */

import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';

/** The maximum number of requests in the log. When there are more requests, the oldest requests are removed. */
const MAX_REQUESTS = 100_000;

/** A request in the log, with additional details from the sandbox. `status` is null if the connection was cut. */
export type LoggedRequest<Details> = Details & {
  /** The time of arrival in ISO format. */
  at: string;
  method: string;
  path: string;
  status: number | null;
  timeMs: number;
};

/** The latest requests, oldest first. */
export interface RequestLog<Details> {
  add(request: LoggedRequest<Details>): void;
  list(): LoggedRequest<Details>[];
  /** Returns the total number of requests, including removed requests. */
  total(): number;
}

/** Creates an empty log. */
export function createRequestLog<Details>(): RequestLog<Details> {
  const latest: LoggedRequest<Details>[] = [];
  let total = 0;
  return {
    add(request) {
      latest[total % MAX_REQUESTS] = request;
      total += 1;
    },
    list() {
      const oldest = total > MAX_REQUESTS ? total % MAX_REQUESTS : 0;
      return [...latest.slice(oldest), ...latest.slice(0, oldest)];
    },
    total: () => total,
  };
}

/**
 * Returns middleware that records each request when its response is sent. The middleware must come before all other
 * middleware that responds.
 */
export function logRequests<Env extends { Bindings: HttpBindings }, Details>(
  log: Pick<RequestLog<Details>, 'add'>,
  clock: () => number,
  detailsOf: (c: Context<Env>) => Details,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const startedAtMs = clock();
    await next();
    log.add({
      ...detailsOf(c),
      at: new Date(startedAtMs).toISOString(),
      method: c.req.method,
      path: c.req.path,
      status: c.env.incoming.socket.destroyed ? null : c.res.status,
      timeMs: clock() - startedAtMs,
    });
  };
}
