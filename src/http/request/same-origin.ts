import type { Context } from 'hono';
import type { HttpEnv } from './context.ts';
import { HttpError } from './http-error.ts';
import { hostOf } from './peer.ts';

/** Methods that change nothing. */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Throws an HttpError (403) if a page of another site sends a request that changes something: a
 * browser adds its cookie, or its place on this machine, to those as well. Browsers say where such
 * a request comes from. One that is silent about it is no browser's: where a cookie counts it is
 * refused (`silence: 'refused'`), elsewhere it may be `curl`.
 */
export function requireSameOrigin(
  c: Context<HttpEnv>,
  publicUrl: string,
  silence: 'allowed' | 'refused',
): void {
  if (SAFE_METHODS.includes(c.req.method)) return;
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  const isSilent = origin === undefined && site === undefined;
  const isOurs =
    (origin === undefined || [hostOf(c), new URL(publicUrl).host].includes(hostIn(origin))) &&
    (site === undefined || site === 'same-origin' || site === 'none');
  if (isOurs && !(isSilent && silence === 'refused')) return;
  throw new HttpError(403, 'origin_foreign', 'This came from a page of another site.');
}

/** The host of an origin; `null`, which browsers send for pages without one, has none. */
function hostIn(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}
