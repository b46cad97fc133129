import { randomBytes } from 'node:crypto';

/** So many are drawn at a time: a system call for each costs more than to encrypt with it. */
const DRAWN = 256;

/**
 * Random keys or initialization vectors of this length in bytes; each is given out once. Who is given a key
 * overwrites it after use: the rest of the draw keeps its memory.
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
