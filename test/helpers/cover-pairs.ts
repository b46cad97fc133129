/** The dimensions of a variant. Each dimension is a list of alternative choices. A choice is a part of the variant. */
export type Dimensions<Variant extends object> = readonly (readonly [Variant, ...Variant[]])[];

/**
 * Returns a few variants that together contain every pair of choices from different dimensions. All combinations would
 * be several thousand variants. If two choices exclude each other, at least one variant contains both of them.
 */
export function coverPairs<Variant extends object>(dimensions: Dimensions<Variant>): Variant[] {
  const left = new Set<string>();
  for (const [one, choices] of dimensions.entries()) {
    for (let other = one + 1; other < dimensions.length; other += 1) {
      for (const choice of choices.keys()) {
        const others = dimensions[other] ?? [];
        for (const otherChoice of others.keys()) left.add(pair(one, choice, other, otherChoice));
      }
    }
  }
  const variants: Variant[] = [];
  for (;;) {
    const [first] = left;
    if (first === undefined) return variants;
    const picked = complete(dimensions, left, first);
    for (const [one, choice] of picked) {
      for (const [other, otherChoice] of picked) {
        if (one < other) left.delete(pair(one, choice, other, otherChoice));
      }
    }
    const parts = dimensions.map((choices, at) => choices[picked.get(at) ?? 0] ?? choices[0]);
    variants.push(Object.assign({}, ...parts));
  }
}

/**
 * Starts with a pair that no variant contains yet. From each dimension, adds the choice that occurs in most of these
 * pairs.
 */
function complete(
  dimensions: Dimensions<object>,
  left: ReadonlySet<string>,
  first: string,
): Map<number, number> {
  const [one = 0, choice = 0, other = 0, otherChoice = 0] = first.split(' ').map(Number);
  const picked = new Map([
    [one, choice],
    [other, otherChoice],
  ]);
  for (const [at, choices] of dimensions.entries()) {
    if (picked.has(at)) continue;
    const countOf = (index: number) =>
      [...picked].filter(([to, toChoice]) =>
        left.has(at < to ? pair(at, index, to, toChoice) : pair(to, toChoice, at, index)),
      ).length;
    const best = [...choices.keys()].toSorted((a, b) => countOf(b) - countOf(a))[0] ?? 0;
    picked.set(at, best);
  }
  return picked;
}

function pair(one: number, choice: number, other: number, otherChoice: number): string {
  return `${one} ${choice} ${other} ${otherChoice}`;
}

/** True if the environment variable `ALL_VARIANTS` is 1. Tests then run all variants, which takes many minutes. */
export const RUNS_ALL_VARIANTS = process.env['ALL_VARIANTS'] === '1';
