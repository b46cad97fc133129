/** Collects the best items in sorted order. */

/** A connected donor, and the strength of the connection. */
export interface Ranked {
  donor: number;
  strength: number;
}

/** The best donors. Donors with equal strength are sorted by number. */
export interface Best {
  /** Adds a donor if the donor's strength is high enough. Returns true if the donor was kept. */
  offer(ranked: Ranked): boolean;
  /** Returns the strength below which a connection is not kept. */
  leastStrength(): number;
  list(): Ranked[];
}

/** The smallest strength above zero. Strengths have six decimals. */
const LEAST_STRENGTH = 1e-6;

/** Creates a collection that contains at most `limit` donors, each with a strength of at least `minStrength`. */
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
