import { randomUUID } from 'node:crypto';

/**
 * Creates an ID. The ID starts with the time (epoch ms), so that new rows are close together in indexes. The ID also
 * contains 74 random bits.
 */
export function newId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0');
  // In a random UUID, the version comes before these 21 characters, and the variant is among them.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
