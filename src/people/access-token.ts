import { createHash, randomBytes } from 'node:crypto';

/** The prefix of access tokens. Scanners for leaked secrets recognise it. */
const TOKEN_PREFIX = 'dst_';

/** The prefix of tokens for a CRM's pages, so nobody mistakes one for an access token. */
const DOOR_PREFIX = 'dsd_';

/** A value of 256 bits cannot be guessed, so a plain hash is enough for storage. */
const TOKEN_BYTES = 32;

/** Creates an access token: `dst_` and 43 characters of base64url. */
export function newAccessToken(): string {
  return TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Creates a token for the door of a client: `dsd_` and 43 characters of base64url. */
export function newDoorToken(): string {
  return DOOR_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns the stored form of a token, a cookie or a webhook's token: SHA-256, 64 hex digits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
