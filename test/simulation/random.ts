/**
 * Creates random numbers from a seed. Each part of the simulation has a separate stream of numbers with its own name,
 * so a new part does not change the other streams.
 */
export interface Random {
  /** Returns a random number from 0 up to 1. */
  next(): number;
  /** Returns a whole number from `least` to `most`, where `least` and `most` are also possible. */
  int(least: number, most: number): number;
  /**
   * Returns a whole number whose order of magnitude is equally likely for each order, so small numbers are frequent and
   * large numbers are rare.
   */
  magnitude(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<const T>(list: readonly [T, ...T[]]): T;
  /** Returns a random item of a list, or undefined if the list is empty. */
  one<T>(list: readonly T[]): T | undefined;
  bytes(count: number): Uint8Array<ArrayBuffer>;
  split(name: string): Random;
}

export function createRandom(seed: string): Random {
  const draw = sfc32(seed);
  const next = () => draw() / 4_294_967_296;
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    int,
    magnitude(least, most) {
      const low = Math.log(least);
      return Math.round(Math.exp(low + next() * (Math.log(most) - low)));
    },
    chance: (probability) => next() < probability,
    pick: (list) => list[int(0, list.length - 1)] ?? list[0],
    one: (list) => list[int(0, list.length - 1)],
    bytes(count) {
      const bytes = new Uint8Array(count);
      for (let index = 0; index < count; index += 1) bytes[index] = draw() & 255;
      return bytes;
    },
    split: (name) => createRandom(`${seed}/${name}`),
  };
}

/** Creates a small, fast counting generator (Chris Doty-Humphrey), whose initial state comes from a string. */
function sfc32(text: string): () => number {
  let a = fnv(text, 0x811c9dc5);
  let b = fnv(text, a ^ 0x9e3779b9);
  let c = fnv(text, b ^ 0x85ebca6b);
  let counter = 1;
  const draw = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round += 1) draw();
  return draw;
}

/** Returns the FNV-1a hash of a string, with `from` as the initial hash. */
export function fnv(text: string, from = 0x811c9dc5): number {
  let hash = from;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
