/** Stores the donors to whom a member is connected. The format makes it fast to find a donor. */

/**
 * A hash table of pairs. A pair contains a donor's number and the rank of the connection to that donor. The strongest
 * connection has rank 0. The table's length is a power of two, and at most half of the table is in use.
 */
export type OtherEnds = Int32Array;

/**
 * The multiplier of the hash function: an odd number close to 2^32 divided by the golden ratio, with which similar
 * numbers get very different hashes.
 */
const GOLDEN_STEP = 0x9e3779b9;

const FREE = -1;

/** Creates the table. The donors must be sorted by strength, strongest first. */
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

/** Returns the rank of the connection to a donor, or undefined if there is no connection. */
export function rankOf(ends: OtherEnds, donor: number): number | undefined {
  const place = placeOf(ends, donor);
  return ends[place] === donor ? ends[place + 1] : undefined;
}

/**
 * Returns the donor's position in the table. If the table does not contain the donor, the function returns the free
 * position for the donor.
 */
function placeOf(ends: OtherEnds, donor: number): number {
  const shift = Math.clz32(ends.length / 2) + 1;
  let place = 2 * (Math.imul(donor, GOLDEN_STEP) >>> shift);
  // The loop always ends, because at least half of the table is free.
  while (ends[place] !== donor && ends[place] !== FREE) {
    place = (place + 2) & (ends.length - 1);
  }
  return place;
}
