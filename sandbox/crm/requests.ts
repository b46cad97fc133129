/** Functions that handle requests before and after a CRM stand-in responds. */

import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';

/** Additional details of a request for the log. */
export interface RequestDetails {
  /** The query part of the request's URL without the question mark. */
  query: string;
}

/** Returns the details of a request for the log. */
export function detailsOf(c: { req: { url: string } }): RequestDetails {
  return { query: new URL(c.req.url).search.slice(1) };
}

/** Returns a request's path, without doubled slashes and without a trailing slash. */
export function getPath(request: Request): string {
  const path = new URL(request.url).pathname.replaceAll(/\/{2,}/g, '/');
  return path === '/' ? path : path.replace(/\/$/, '');
}

/** Sets headers on every response. The date comes from the CRM's clock, and clients use it as the end of a period. */
export function addHeaders<Env extends { Bindings: HttpBindings }>(
  clock: () => number,
  headersOf: (c: Context<Env>) => Readonly<Record<string, string>>,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next();
    // If the connection was cut, the response does not exist.
    if (c.env.outgoing.headersSent || c.env.incoming.socket.destroyed) return;
    c.res.headers.set('Date', new Date(clock()).toUTCString());
    for (const [name, value] of Object.entries(headersOf(c))) {
      c.res.headers.set(name, value);
    }
  };
}
