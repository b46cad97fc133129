import { createHash, randomBytes } from 'node:crypto';

/** The prefix of access tokens. Tools that search for leaked secrets recognise access tokens by this prefix. */
const TOKEN_PREFIX = 'dst_';

/** The prefix of tokens for a CRM's pages. A different prefix keeps people from mistaking them for access tokens. */
const DOOR_PREFIX = 'dsd_';

/** A value of 256 bits cannot be guessed, so a plain hash is enough for storage. */
const TOKEN_BYTES = 32;

/** Creates an access token, which consists of `dst_` and 43 characters of base64url. */
export function newAccessToken(): string {
  return TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Creates a token for a client's door. The token consists of `dsd_` and 43 characters of base64url. */
export function newDoorToken(): string {
  return DOOR_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns the stored form of an access token, a cookie or a webhook's token: 64 hex digits of SHA-256. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
