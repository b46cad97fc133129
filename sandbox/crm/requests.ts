/** Request handling that the stand-ins of all CRMs share, before and after they respond. */

import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';

/** Additional details of a request for the log. */
export interface RequestDetails {
  /** The query part of the URL, excluding the question mark. */
  query: string;
}

/** Returns the details of a request for the log. */
export function detailsOf(c: { req: { url: string } }): RequestDetails {
  return { query: new URL(c.req.url).search.slice(1) };
}

/** Returns a request's path after removing doubled slashes and the slash at its end. */
export function getPath(request: Request): string {
  const path = new URL(request.url).pathname.replaceAll(/\/{2,}/g, '/');
  return path === '/' ? path : path.replace(/\/$/, '');
}

/** Sets headers on every response. The date comes from the CRM's clock, which clients use for their upper bounds. */
export function addHeaders<Env extends { Bindings: HttpBindings }>(
  clock: () => number,
  headersOf: (c: Context<Env>) => Readonly<Record<string, string>>,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next();
    // If the connection was cut, there is no response that could get headers.
    if (c.env.outgoing.headersSent || c.env.incoming.socket.destroyed) return;
    c.res.headers.set('Date', new Date(clock()).toUTCString());
    for (const [name, value] of Object.entries(headersOf(c))) {
      c.res.headers.set(name, value);
    }
  };
}
