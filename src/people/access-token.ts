import { createHash, randomBytes } from 'node:crypto';

/** What access tokens begin with, so that scanners for leaked secrets know them. */
const TOKEN_PREFIX = 'dst_';

/** 256 bits: they cannot be guessed, so that a plain hash is enough at rest. */
const TOKEN_BYTES = 32;

/** A new access token: `dst_` and 43 characters of base64url. */
export function newAccessToken(): string {
  return TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
}

/** How a token, a cookie or a webhook's token is kept: SHA-256, 64 hex digits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
