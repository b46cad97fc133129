import { randomBytes } from 'node:crypto';

/**
 * The number of values that one system call draws. One system call for each value would take longer than the
 * encryption.
 */
const DRAWN = 256;

/**
 * Creates random keys or initialization vectors of this length (bytes). Each key or vector is returned only once. The
 * caller must overwrite a key after use. A key that is not overwritten remains in memory as long as the other values of
 * its draw.
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
