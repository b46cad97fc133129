/** Decides where a key or a token may be sent. */

import { z } from 'zod';

/**
 * The schema of a CRM's address. The address is checked together with the other settings. The connector's
 * `refusesPlainHttp` decides about plain HTTP, because this decision needs all settings (`allowInsecureHttp`).
 */
export const crmUrlSchema = z.url({ protocol: /^https?$/ });

export function withoutSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}

export function isSameOrigin(url: string, other: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(other).origin;
}

/** True if the URL contains no part that could be mistaken for another part. */
export function isBare({ username, password, search, hash }: URL): boolean {
  return username + password + search + hash === '';
}

export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}
