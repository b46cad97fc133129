/** The authx extension, which determines the user of a request. */

import { timingSafeEqual } from 'node:crypto';
import { SignInError } from '../core/errors.ts';
import type { Site } from '../site/site.ts';

/** The credential in a request, or undefined if the request has none. */
export interface Credential {
  /** The header `X-Civi-Auth`. `Authorization` is used only if this header is missing. */
  civiAuth: string | undefined;
  authorization: string | undefined;
}

/**
 * Determines the user. Returns false for a request without a credential. Throws a SignInError if the credential is not
 * valid.
 */
export function signIn(
  { permissions }: Site,
  { civiAuth, authorization }: Credential,
  apiKey: string,
): boolean {
  const credential = civiAuth ?? authorization;
  if (credential === undefined) return false;
  const key = /^Bearer (\S+)$/i.exec(credential)?.[1] ?? '';
  if (!isSame(key, apiKey)) throw new SignInError('Invalid credential');
  if (!permissions.has('authenticate with api key')) {
    throw new SignInError('Login not permitted. Must satisfy guard (perm).');
  }
  return true;
}

function isSame(key: string, expected: string): boolean {
  const [one, two] = [Buffer.from(key), Buffer.from(expected)];
  return one.length === two.length && timingSafeEqual(one, two);
}
