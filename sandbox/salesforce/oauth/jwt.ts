/** Checks the assertion of the JWT bearer flow. */

import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import type { User } from '../metadata/access.ts';
import { USERS } from '../metadata/setup-records.ts';
import type { ClientApp } from './client-app.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * The smallest value of `exp` that counts as milliseconds. Some clients send milliseconds. In seconds, `exp` will not
 * reach this value for thousands of years.
 */
const LEAST_MILLISECONDS = 100_000_000_000;

const LOGIN_HOST = 'https://login.salesforce.com';

/**
 * An audience that is refused. Since Spring '26, External Client Apps in a sandbox accept only the sandbox's own
 * address.
 */
const SANDBOX_LOGIN_HOST = 'https://test.salesforce.com';

const headerSchema = z.object({ alg: z.literal('RS256') });
const claimsSchema = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.coerce.number(),
});

/** Checks an assertion. Throws an OAuthError that describes the problem. */
export function readAssertion(
  assertion: string,
  options: { app: ClientApp; origin: string; nowMs: number },
): User {
  const [header = '', claims = '', signature = ''] = assertion.split('.');
  const signed = Buffer.from(`${header}.${claims}`);
  const key = createPublicKey(options.app.privateKey);
  const { iss, sub, aud, exp } = readClaims(header, claims);
  if (iss !== options.app.clientId) {
    throw new OAuthError('invalid_client_id', 'client identifier invalid');
  }
  if (!verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))) {
    throw new OAuthError('invalid_grant', 'invalid assertion');
  }
  const audiences = [aud].flat().map(withoutEnd);
  if (audiences.includes(SANDBOX_LOGIN_HOST)) {
    throw new OAuthError('app_not_found', 'External client app is not installed in this org');
  }
  if (!audiences.some((one) => [options.origin, LOGIN_HOST].includes(one))) {
    throw new OAuthError('invalid_grant', 'audience is invalid');
  }
  const expiresAtMs = exp > LEAST_MILLISECONDS ? exp : exp * 1000;
  if (expiresAtMs <= options.nowMs) {
    // Salesforce uses this message for an expired assertion too.
    throw new OAuthError('invalid_grant', 'expired authorization code');
  }
  const user = USERS.find(({ username }) => username === sub);
  if (user === undefined) {
    throw new OAuthError('invalid_grant', "user hasn't approved this consumer");
  }
  return user;
}

function readClaims(header: string, claims: string) {
  try {
    headerSchema.parse(JSON.parse(fromBase64(header)));
    return claimsSchema.parse(JSON.parse(fromBase64(claims)));
  } catch {
    throw new OAuthError('invalid_grant', 'invalid assertion');
  }
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}

/**
 * Removes the end of an audience, because a trailing slash makes no difference. The path of the token endpoint also
 * makes no difference.
 */
function withoutEnd(audience: string): string {
  return audience.replace(/\/+$/, '').replace(/\/services\/oauth2\/token$/, '');
}
