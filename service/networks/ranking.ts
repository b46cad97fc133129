/** Finds the strongest connections of many members without reading all of their connections. */

/**
 * The number of connections that the ranking first reads for each member. Each further page is twice as long as the
 * page before.
 */
const FIRST_PAGE_SIZE = 8;

/**
 * The maximum number of rounds of reading. After this many rounds, the pages together are longer than the list of all
 * donors.
 */
const MAX_ROUNDS = 28;

/** A donor to whom a member is connected. */
export interface Ranked {
  donor: number;
  strength: number;
}

/** The number of donors to find, and the donors to leave out. */
export interface Wanted {
  minStrength: number;
  /** The maximum number of donors. */
  limit: number;
  /** The donors that the result must not contain. */
  excluded: ReadonlySet<number>;
}

/**
 * Reads the given number of a member's connections, starting at a rank. The strongest connections come first in the
 * result. The result omits connections below the minimum strength.
 */
export type ReadPage = (member: number, rank: number, size: number, strength: number) => Ranked[];

/**
 * Returns the donors with the strongest connections. Donors with equal strength are sorted by number. The function
 * stops reading a member when its remaining connections cannot be among the strongest. Most members therefore need only
 * one page. The generator yields after each page.
 */
export function* rankStrongest(
  members: readonly number[],
  readPage: ReadPage,
  { minStrength, limit, excluded }: Wanted,
): Generator<void, number[]> {
  const strongest = new Map<number, number>();
  let top: Ranked[] = [];
  let last: Ranked = { donor: Number.POSITIVE_INFINITY, strength: minStrength };
  let open = members;
  for (let round = 0; round < MAX_ROUNDS && open.length > 0; round += 1) {
    const size = FIRST_PAGE_SIZE * 2 ** round;
    const floor = last.strength;
    const pages: Ranked[][] = [];
    for (const member of open) {
      const page = readPage(member, size - FIRST_PAGE_SIZE, size, floor);
      pages.push(page);
      for (const { donor, strength } of page) {
        if (!excluded.has(donor) && strength > (strongest.get(donor) ?? 0)) {
          strongest.set(donor, strength);
        }
      }
      yield;
    }
    top = yield* topOf(strongest, limit);
    last = top[limit - 1] ?? last;
    open = open.filter((_, index) => mayHoldMore(pages[index], size, last));
  }
  return top.map(({ donor }) => donor);
}

/** The number of donors that are sorted before other requests can run. */
const SORTED_AT_ONCE = 1_000;

function* topOf(strongest: ReadonlyMap<number, number>, limit: number): Generator<void, Ranked[]> {
  let top: Ranked[] = [];
  for (const [donor, strength] of strongest) {
    top.push({ donor, strength });
    if (top.length < limit + SORTED_AT_ONCE) continue;
    top = top.sort(compareRanked).slice(0, limit);
    yield;
  }
  return top.sort(compareRanked).slice(0, limit);
}

function mayHoldMore(page: readonly Ranked[] | undefined, size: number, last: Ranked): boolean {
  const end = page?.[size - 1];
  return end !== undefined && compareRanked(end, last) < 0;
}

function compareRanked(a: Ranked, b: Ranked): number {
  return b.strength - a.strength || a.donor - b.donor;
}
