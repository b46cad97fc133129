/** Keeps the best of many items, in order. */

/** Another donor and the strength of the connection to them. */
export interface Ranked {
  donor: number;
  strength: number;
}

/**
 * Keeps the strongest of the offered donors. If they are equally strong, keeps the donors with the lower
 * numbers.
 */
export interface Best {
  /** True if the donor was kept. */
  offer(ranked: Ranked): boolean;
  /** A weaker connection than this is not kept. */
  leastStrength(): number;
  list(): Ranked[];
}

/** A weaker connection does not count, because this is the last digit of strengths. */
const LEAST_STRENGTH = 1e-6;

/** Keeps at most `limit` donors with a strength of `minStrength` or more. */
export function keepBest(minStrength: number, limit: number): Best {
  const floor = Math.max(minStrength, LEAST_STRENGTH);
  const kept: Ranked[] = [];

  function weakest(): number {
    return kept.length < limit ? floor : (kept.at(-1)?.strength ?? Number.POSITIVE_INFINITY);
  }

  return {
    leastStrength: weakest,
    list: () => kept.sort(byStrength),
    offer(ranked) {
      if (ranked.strength < weakest()) return false;
      if (kept.length < limit) {
        kept.push(ranked);
        // From here on, the order is maintained, and the last donor is replaced.
        if (kept.length === limit) kept.sort(byStrength);
        return true;
      }
      const place = 1 + kept.findLastIndex((other) => byStrength(other, ranked) < 0);
      if (place === limit) return false;
      kept.splice(place, 0, ranked);
      kept.pop();
      return true;
    },
  };
}

function byStrength(a: Ranked, b: Ranked): number {
  return b.strength - a.strength || a.donor - b.donor;
}
