/** What the stand-ins of all CRMs do with a request before and after they answer it. */

import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';

/** What the log keeps of a request besides. */
export interface RequestDetails {
  /** The query part of the URL, without its question mark. */
  query: string;
}

/** The details of a request. */
export function detailsOf(c: { req: { url: string } }): RequestDetails {
  return { query: new URL(c.req.url).search.slice(1) };
}

/** The path of a request: slashes may be doubled, and one may stand at the end. */
export function getPath(request: Request): string {
  const path = new URL(request.url).pathname.replaceAll(/\/{2,}/g, '/');
  return path === '/' ? path : path.replace(/\/$/, '');
}

/**
 * Puts headers on every answer. The date is the CRM's own clock, by which clients set their upper
 * bounds.
 */
export function addHeaders<Env extends { Bindings: HttpBindings }>(
  clock: () => number,
  headersOf: (c: Context<Env>) => Readonly<Record<string, string>>,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next();
    // Where the connection was cut there is no answer to put headers on.
    if (c.env.outgoing.headersSent || c.env.incoming.socket.destroyed) return;
    c.res.headers.set('Date', new Date(clock()).toUTCString());
    for (const [name, value] of Object.entries(headersOf(c))) {
      c.res.headers.set(name, value);
    }
  };
}
