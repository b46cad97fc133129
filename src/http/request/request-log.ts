import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { newId } from '../../core/new-id.ts';
import type { HttpEnv } from './context.ts';

/** A request that was answered, without anything that callers can write into it. */
export interface AnsweredRequest {
  method: string;
  /** The route's pattern, for example `/v1/runs/:id`: no ids, no tokens, and few of them. */
  route: string;
  status: number;
  timeMs: number;
}

/**
 * Gives each request an id, which the answer carries as `X-Request-Id`, and tells of it when it is
 * answered.
 */
export function noteRequests(
  { clock, log }: { clock: Pick<Clock, 'now'>; log: Log },
  onAnswered: (request: AnsweredRequest) => void,
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const startedAt = clock.now();
    const requestId = newId(startedAt);
    c.set('requestId', requestId);
    await next();
    c.header('X-Request-Id', requestId);
    const answered = {
      method: METHODS.has(c.req.method) ? c.req.method : 'other',
      route: routePath(c, -1),
      status: c.res.status,
      timeMs: clock.now() - startedAt,
    };
    log.debug({ requestId, ...answered }, 'http request');
    onAnswered(answered);
  };
}

/** Callers may make up others. */
const METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
]);
