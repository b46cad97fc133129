/** Makes random choices that a test can repeat. Two runs with one seed create equal people and equal cases. */

export interface Random {
  /** Returns a random number from 0 up to 1. */
  next(): number;
  chance(probability: number): boolean;
  /** Returns a whole number from `low` to `high`, where `low` and `high` are also possible. */
  between(low: number, high: number): number;
  /** Returns an entry of a list, which must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** Returns the list in random order, without changing the original. */
  shuffle<T>(list: readonly T[]): T[];
}

/**
 * Creates the generator Mulberry32 by Tommy Ettinger. The generator is small and fast, and its numbers are good enough
 * for test data.
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  function between(low: number, high: number): number {
    return low + Math.floor(next() * (high - low + 1));
  }
  function pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('Nothing can be picked from an empty list.');
    return list[between(0, list.length - 1)] as T;
  }
  function shuffle<T>(list: readonly T[]): T[] {
    const mixed = [...list];
    for (let last = mixed.length - 1; last > 0; last--) {
      const other = between(0, last);
      [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
    }
    return mixed;
  }
  return { next, chance: (probability) => next() < probability, between, pick, shuffle };
}

/** Creates a function that chooses random entries in proportion to their weights. */
export function createWeighted<T>(entries: readonly { value: T; weight: number }[]) {
  let sum = 0;
  const bounds = entries.map((entry) => {
    sum += entry.weight;
    return sum;
  });
  return (random: Random): T => {
    const point = random.next() * sum;
    let low = 0;
    let high = bounds.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((bounds[middle] ?? 0) > point) high = middle;
      else low = middle + 1;
    }
    const entry = entries[low];
    if (!entry) throw new Error('Nothing can be drawn from an empty list.');
    return entry.value;
  };
}
