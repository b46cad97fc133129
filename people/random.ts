/**
 * Generates random numbers without storing any state. A series of numbers depends only on the seed, the purpose and the
 * row. Therefore, a row can be computed without the previous rows.
 */

/** Returns the next number of a series, from 0 up to 1. */
export type Draw = () => number;

/** An odd number close to 2^32 divided by the golden ratio. Multiples of this number are spread evenly over 32 bits. */
export const GOLDEN_STEP = 0x9e3779b9;

/** A number that flattens the start of Zipf's law. */
const HEAD_SOFTENING = 2;

/**
 * Creates the series for a purpose and a row (an integer below 2^32). The series always starts with its first number.
 */
export function createDraw(seed: number, purpose: string, row: number): Draw {
  let state = mix(seedFor(seed, purpose) + Math.imul(row, GOLDEN_STEP));
  return () => {
    state = (state + GOLDEN_STEP) | 0;
    return mix(state) / 2 ** 32;
  };
}

/** Combines a seed (a safe integer) and a purpose to 32 bits. */
export function seedFor(seed: number, purpose: string): number {
  let bits = mix(seed | 0) ^ mix(Math.floor(seed / 2 ** 32) | 0);
  for (let i = 0; i < purpose.length; i++) {
    bits = Math.imul(bits ^ purpose.charCodeAt(i), 0x01000193);
  }
  return mix(bits);
}

/**
 * Mixes 32 bits, so that every output bit depends on every input bit. Different inputs never produce the same output.
 */
export function mix(bits: number): number {
  let x = bits | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** Returns true with this probability (0 to 1). */
export function chance(draw: Draw, share: number): boolean {
  return draw() < share;
}

/** Returns an integer from `low` to `high`, including both. */
export function between(draw: Draw, low: number, high: number): number {
  return low + Math.floor(draw() * (high - low + 1));
}

/** Returns an entry of a list. All entries are equally likely. */
export function pick<T>(draw: Draw, list: readonly T[]): T {
  return entryAt(list, Math.floor(draw() * list.length));
}

/** Returns an entry of a list. After the last entry, the first entry follows again. */
export function entryAt<T>(list: readonly T[], position: number): T {
  const entry = list[position % list.length];
  if (entry === undefined) throw new RangeError(`No entry at position ${position}`);
  return entry;
}

/** Returns a random number from the standard normal distribution (method of Box and Muller). */
export function gaussian(draw: Draw): number {
  const radius = Math.sqrt(-2 * Math.log(1 - draw()));
  return radius * Math.cos(2 * Math.PI * draw());
}

/**
 * Returns a rank from 0 to `count - 1` according to Zipf's law. The start of the distribution is flattened with
 * Mandelbrot's formula. Without this change, a third of all people would have worked for the largest employer. The
 * probability of rank k is approximately proportional to 1 / (k + `HEAD_SOFTENING`). The formula needs no table, even
 * for a large count.
 */
export function zipfRank(draw: Draw, count: number): number {
  const position = HEAD_SOFTENING * ((count / HEAD_SOFTENING + 1) ** draw() - 1);
  return Math.min(count - 1, Math.floor(position));
}
