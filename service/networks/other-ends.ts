/**
 * The donors at the other ends of a member's connections. They are packed in a form in which a donor is found quickly.
 */

/**
 * A hash table of pairs. A pair contains a donor's number and the rank of the connection to that donor. Rank 0 is the
 * strongest. Its length is a power of two, and at most half of it is in use.
 */
export type OtherEnds = Int32Array;

/**
 * The multiplier of the hash is odd and near 2^32 divided by the golden ratio. The upper bits of its multiples are
 * therefore far apart.
 */
const GOLDEN_STEP = 0x9e3779b9;

const FREE = -1;

/** The donors are given in descending order of strength. */
export function packOtherEnds(donors: readonly number[]): OtherEnds {
  const bits = 1 + Math.ceil(Math.log2(donors.length + 1));
  const ends = new Int32Array(2 * 2 ** bits).fill(FREE);
  for (const [rank, donor] of donors.entries()) {
    const place = placeOf(ends, donor);
    ends[place] = donor;
    ends[place + 1] = rank;
  }
  return ends;
}

/** Returns the rank of the connection to a donor, or undefined if there is none. */
export function rankOf(ends: OtherEnds, donor: number): number | undefined {
  const place = placeOf(ends, donor);
  return ends[place] === donor ? ends[place + 1] : undefined;
}

/** Returns a donor's position. If the table does not contain the donor, returns an empty place for the donor. */
function placeOf(ends: OtherEnds, donor: number): number {
  const shift = Math.clz32(ends.length / 2) + 1;
  let place = 2 * (Math.imul(donor, GOLDEN_STEP) >>> shift);
  // Half of the table is empty, so the loop always ends.
  while (ends[place] !== donor && ends[place] !== FREE) {
    place = (place + 2) & (ends.length - 1);
  }
  return place;
}
