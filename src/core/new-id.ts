import { randomUUID } from 'node:crypto';

/**
 * Creates an identifier that cannot be guessed: a UUID of version 7 (RFC 9562). It starts with the time (epoch ms), so
 * new rows are next to each other in the database's indexes. 74 of its bits are random.
 */
export function newId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0');
  // A random UUID has its version before these 21 characters, and its variant within them.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
