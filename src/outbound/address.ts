/** Addresses in settings and responses, and which of them may receive a key or a token. */

import { z } from 'zod';

/**
 * The address of a CRM. Whether plain http may be used for it depends on the whole settings
 * (`allowInsecureHttp`) and is decided where they are read: `refusesPlainHttp` of the connector.
 */
export const crmUrlSchema = z.url({ protocol: /^https?$/ });

/** An address to which a path can be appended. */
export function withoutSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}

/** True if both have the same origin: what may be sent to one of them may be sent to the other. */
export function isSameOrigin(url: string, other: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(other).origin;
}

/** True if the address has no part that could be mistaken for another part. */
export function isBare({ username, password, search, hash }: URL): boolean {
  return username + password + search + hash === '';
}

/** True for a status that redirects. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}
