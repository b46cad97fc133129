import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/**
 * Creates a secret of 256 random bits. The secret's 43 characters of base64url need no escaping in URLs and headers.
 */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
