import { randomBytes } from 'node:crypto';

/** The number of draws at a time. A system call for each draw would cost more than the encryption itself. */
const DRAWN = 256;

/**
 * Creates a source of random keys or initialization vectors of this length (bytes). Each is returned only once. The
 * caller must overwrite a key after use, because the rest of the draw keeps its memory alive.
 */
export function createDraws(length: number): () => Buffer {
  let drawn = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at === drawn.length) {
      drawn = randomBytes(length * DRAWN);
      at = 0;
    }
    const draw = drawn.subarray(at, at + length);
    at += length;
    return draw;
  };
}
