import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** 256 random bits that go into a URL and a header as they are: 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
