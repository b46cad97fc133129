import { randomUUID } from 'node:crypto';

/** It starts with the time (epoch ms), which keeps new rows together in indexes, and has 74 random bits. */
export function newId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0');
  // A random UUID has its version before these 21 characters, and its variant within them.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
