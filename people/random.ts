/**
 * Random numbers without state. A stream of numbers depends only on the seed, its purpose and its row. Any row can
 * therefore be computed without the rows before it.
 */

/** Returns the next number of a stream, at least 0 and less than 1. */
export type Draw = () => number;

/** An odd number close to 2^32 divided by the golden ratio. Steps of this size spread evenly over 32 bits. */
export const GOLDEN_STEP = 0x9e3779b9;

/** The number of ranks by which the start of Zipf's law is softened. */
const HEAD_SOFTENING = 2;

/** Opens the stream for a purpose and a row (an integer below 2^32). It always starts at its first number. */
export function createDraw(seed: number, purpose: string, row: number): Draw {
  let state = mix(seedFor(seed, purpose) + Math.imul(row, GOLDEN_STEP));
  return () => {
    state = (state + GOLDEN_STEP) | 0;
    return mix(state) / 2 ** 32;
  };
}

/** Combines a seed (any safe integer) and a purpose into 32 bits. */
export function seedFor(seed: number, purpose: string): number {
  let bits = mix(seed | 0) ^ mix(Math.floor(seed / 2 ** 32) | 0);
  for (let i = 0; i < purpose.length; i++) {
    bits = Math.imul(bits ^ purpose.charCodeAt(i), 0x01000193);
  }
  return mix(bits);
}

/**
 * Mixes 32 bits so that every output bit depends on every input bit. Different inputs never produce the same output.
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

/** Beyond the end, starts again at the beginning. */
export function entryAt<T>(list: readonly T[], position: number): T {
  const entry = list[position % list.length];
  if (entry === undefined) throw new RangeError(`No entry at position ${position}`);
  return entry;
}

/** Returns a number from the standard normal distribution (Box and Muller's method). */
export function gaussian(draw: Draw): number {
  const radius = Math.sqrt(-2 * Math.log(1 - draw()));
  return radius * Math.cos(2 * Math.PI * draw());
}

/**
 * Returns a rank from 0 to `count - 1` according to Zipf's law. The start of the distribution is flattened with
 * Mandelbrot's formula. Otherwise the largest employer would have employed a third of all people. The probability of
 * rank k is proportional to about 1 / (k + `HEAD_SOFTENING`). This closed form needs no table, whatever the count is.
 */
export function zipfRank(draw: Draw, count: number): number {
  const position = HEAD_SOFTENING * ((count / HEAD_SOFTENING + 1) ** draw() - 1);
  return Math.min(count - 1, Math.floor(position));
}
