/** Addresses in settings and answers, and which of them may see a key or a token. */

import { z } from 'zod';

/**
 * The address of a CRM. Whether plain http may be used for it is a question of the whole settings
 * (`allowInsecureHttp`) and is answered where they are read: `refusesPlainHttp` of the connector.
 */
export const crmUrlSchema = z.url({ protocol: /^https?$/ });

/** An address to which a path can be added. */
export function withoutSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}

/** True if both have one origin: what one of them may see, the other one may. */
export function isSameOrigin(url: string, other: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(other).origin;
}

/** Nothing that makes one part of an address look like another. */
export function isBare({ username, password, search, hash }: URL): boolean {
  return username + password + search + hash === '';
}

/** True of a status that points elsewhere. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}
