/** Addresses in settings and responses, and the addresses to which a key or a token may be sent. */

import { z } from 'zod';

/**
 * A CRM's address. Whether it may use plain http depends on the whole settings (`allowInsecureHttp`), so the
 * connector's `refusesPlainHttp` decides this when they are read.
 */
export const crmUrlSchema = z.url({ protocol: /^https?$/ });

/** Returns an address to which a path can be appended. */
export function withoutSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}

/** True if both have the same origin, so data for one may also be sent to the other. */
export function isSameOrigin(url: string, other: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(other).origin;
}

/** True if no part of the address could be mistaken for another part. */
export function isBare({ username, password, search, hash }: URL): boolean {
  return username + password + search + hash === '';
}

/** Returns true for a redirect status. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}
