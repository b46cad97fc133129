/** Identifiers with 32 hexadecimal characters. They are computed from numbers and never stored. */

import { GOLDEN_STEP, mix, seedFor } from './random.ts';

/** The inverse of the golden step. Multiplying by both factors gives the original number in 32 bits. */
const GOLDEN_STEP_INVERSE = 0x144cbc89;

/** The kinds of objects that have an identifier. */
export type IdKind = 'donor' | 'household' | 'company' | 'nonprofit' | 'school';

/** Returns the identifier of an object. Different numbers of the same kind (below 2^32) have different identifiers. */
export function idOf(seed: number, kind: IdKind, number: number): string {
  const base = seedFor(seed, kind);
  const first = mix(base + Math.imul(number, GOLDEN_STEP));
  const second = mix(first ^ base);
  const third = mix(second + base);
  bytes.writeUInt32BE(first, 0);
  bytes.writeUInt32BE(second, 4);
  bytes.writeUInt32BE(third, 8);
  bytes.writeUInt32BE(mix(third ^ base), 12);
  return bytes.toString('hex');
}

/**
 * A buffer that is used for all identifiers. Converting 16 bytes to text is five times as fast as converting four
 * numbers.
 */
const bytes = Buffer.alloc(16);

/**
 * Returns the number that belongs to an identifier. Returns null if no object of this kind has the identifier in this
 * world.
 */
export function numberOf(seed: number, kind: IdKind, id: string): number | null {
  const first = Number.parseInt(id.slice(0, 8), 16);
  const steps = unmix(first) - seedFor(seed, kind);
  const number = Math.imul(steps, GOLDEN_STEP_INVERSE) >>> 0;
  return idOf(seed, kind, number) === id ? number : null;
}

/** Reverses the function `mix`. Its factors are the inverses, in 32 bits, of the factors in `mix`. */
function unmix(bits: number): number {
  let x = bits ^ (bits >>> 16);
  x = Math.imul(x, 0x7ed1b41d);
  x ^= (x >>> 13) ^ (x >>> 26);
  x = Math.imul(x, 0xa5cb9243);
  return x ^ (x >>> 16);
}
