import { randomBytes } from 'node:crypto';

/** One system call per draw would take longer than the encryption. */
const DRAWN = 256;

/**
 * Creates random keys or initialization vectors of this length (bytes). Each is returned once. The caller must
 * overwrite a key after use. Otherwise, the key stays in memory as long as the rest of its draw.
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
