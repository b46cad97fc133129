/**
 * Finds a donor's connections. The search does not have to read huge organisations completely. Each organisation has a
 * maximum contribution, because nobody can share more time with the donor than the donor spent there. The search reads
 * the organisations in descending order of their maximum contribution. The search ends when no new person can reach the
 * requested strength. The search then computes the strength of each candidate from all shared organisations, even from
 * organisations that it has not read.
 */

import { exposureFor, strengthOf } from './formula.ts';
import { type Best, keepBest, type Ranked } from './keep-best.ts';
import { exposureBetween, type OwnTie, tiesOfDonor, totalExposure } from './shared-time.ts';
import { at, type TieTable } from './tie-table.ts';

/** A number that is added to each maximum (in units), to allow for rounding errors. */
const ROUNDING_UNITS = 2;

/** The cost of computing one person's strength, expressed as a number of rows. */
const ROWS_PER_JUDGEMENT = 40;

/** A circle that contains people with a possible connection to the donor, because of one of the donor's ties. */
interface Roster {
  tie: OwnTie;
  circle: number;
  /** The maximum exposure to any person in this circle. */
  bound: number;
  /** The sum of the maximum exposures of this roster and all later rosters, and the number of their rows. */
  rest: number;
  rowsLeft: number;
}

/**
 * A search, which returns at most `limit` connections with at least `minStrength`, sorted by strength and then by donor
 * number. Yields at each point where another task can interrupt the search.
 */
export type Search = (
  donor: number,
  minStrength: number,
  limit: number,
) => Generator<void, Ranked[]>;

/** Prepares searches. Each search that runs at one time needs twelve bytes per donor. */
export function createSearch(table: TieTable): Search {
  const idle: Search[] = [];
  return function* search(donor, minStrength, limit) {
    const one = idle.pop() ?? createOneSearch(table);
    const best = yield* one(donor, minStrength, limit);
    // The memory of an interrupted search has not been cleared, so the memory is not used again.
    idle.push(one);
    return best;
  };
}

/** The number of rows that are read between two points at which the search can be interrupted. */
const ROWS_AT_ONCE = 20_000;
const PEOPLE_AT_ONCE = 500;

function createOneSearch(table: TieTable): Search {
  const donorCount = Math.max(0, table.donorStarts.length - 1);
  /** For each person, the exposure that the search has found so far. All values are 0 between searches. */
  const exposures = new Float64Array(donorCount);
  const met = new Uint32Array(donorCount);
  let metCount = 0;

  return function* search(donor, minStrength, limit) {
    const own = tiesOfDonor(table, donor);
    const rosters = rostersOf(table, own);
    let needed = exposureFor(minStrength);
    let rest = 0;
    for (const roster of rosters) {
      if (roster.rest < needed && isJudgingCheaper(needed, roster)) {
        rest = roster.rest;
        break;
      }
      yield* visit(roster, donor);
      if (metCount >= limit) needed = exposureFor(weakestOfBest(minStrength, limit));
      yield;
    }
    const best = yield* judgeAll(own, rest, keepBest(minStrength, limit));
    for (let index = 0; index < metCount; index++) exposures[met[index] ?? 0] = 0;
    metCount = 0;
    return best;
  };

  function* visit(roster: Roster, donor: number): Generator<void, void> {
    const end = at(table.circleStarts, roster.circle + 1);
    for (let row = at(table.circleStarts, roster.circle); row < end; row += ROWS_AT_ONCE) {
      visitRows(roster, donor, row, Math.min(end, row + ROWS_AT_ONCE));
      yield;
    }
  }

  /**
   * Reads the rows of a circle. The function reads columns directly, because it runs for every person of a huge
   * organisation.
   */
  function visitRows({ tie, circle }: Roster, donor: number, first: number, end: number): void {
    const { memberDonors, memberFroms, memberTos } = table;
    for (let row = first; row < end; row++) {
      const from = Math.max(tie.from, memberFroms[row] ?? 0);
      const to = Math.min(tie.to, memberTos[row] ?? 0);
      const member = memberDonors[row] ?? 0;
      if (from >= to || member === donor) continue;
      const exposure = exposureBetween(table, tie.circle, circle, from, to);
      if (exposure === 0) continue;
      const before = exposures[member] ?? 0;
      exposures[member] = before + exposure;
      if (before === 0) met[metCount++] = member;
    }
  }

  /** Returns true if computing the strengths of the remaining candidates is cheaper than reading the remaining rows. */
  function isJudgingCheaper(needed: number, { rest, rowsLeft }: Roster): boolean {
    let possible = 0;
    for (let index = 0; index < metCount; index++) {
      if ((exposures[met[index] ?? 0] ?? 0) + rest >= needed) possible += 1;
    }
    return possible * ROWS_PER_JUDGEMENT < rowsLeft;
  }

  /**
   * Returns the strength that a new candidate must reach. Uses only the data that the search has read so far. The real
   * strength can only be higher.
   */
  function weakestOfBest(minStrength: number, limit: number): number {
    const best = keepBest(minStrength, limit);
    offerAll(best, 0, metCount, 0, (_, exposure) => exposure);
    return best.leastStrength();
  }

  function* judgeAll(own: readonly OwnTie[], rest: number, best: Best): Generator<void, Ranked[]> {
    const byOrganisation = Map.groupBy(own, ({ circle }) => at(table.circleOrganisations, circle));
    const exposureOf =
      rest === 0
        ? (_: number, exposure: number) => exposure
        : (member: number) => totalExposure(table, byOrganisation, member);
    for (let first = 0; first < metCount; first += PEOPLE_AT_ONCE) {
      offerAll(best, first, Math.min(metCount, first + PEOPLE_AT_ONCE), rest, exposureOf);
      yield;
    }
    return best.list();
  }

  /** Adds the candidates from `first` to `end` whose exposure plus `rest` could reach the required strength. */
  function offerAll(
    best: Best,
    first: number,
    end: number,
    rest: number,
    exposureOf: (member: number, exposure: number) => number,
  ): void {
    let needed = exposureFor(best.leastStrength()) - rest;
    for (let index = first; index < end; index++) {
      const member = met[index] ?? 0;
      const exposure = exposures[member] ?? 0;
      if (exposure < needed) continue;
      const strength = strengthOf(exposureOf(member, exposure));
      if (best.offer({ donor: member, strength })) {
        needed = exposureFor(best.leastStrength()) - rest;
      }
    }
  }
}

/** Returns a donor's rosters, with the highest bound first. */
function rostersOf(table: TieTable, own: readonly OwnTie[]): Roster[] {
  const rosters = own
    .flatMap((tie) =>
      circlesBeside(table, tie.circle).map((circle) => ({
        tie,
        circle,
        bound: boundOf(table, tie, circle),
        rest: 0,
        rowsLeft: 0,
      })),
    )
    .filter(({ bound }) => bound > ROUNDING_UNITS)
    .sort((a, b) => b.bound - a.bound || a.circle - b.circle);
  let rest = 0;
  let rowsLeft = 0;
  for (const roster of rosters.toReversed()) {
    rest += roster.bound;
    rowsLeft += at(table.circleStarts, roster.circle + 1) - at(table.circleStarts, roster.circle);
    roster.rest = rest;
    roster.rowsLeft = rowsLeft;
  }
  return rosters;
}

/** Returns all circles of a circle's organisation, including the circle itself. */
function circlesBeside(table: TieTable, circle: number): number[] {
  const circles = [circle];
  for (
    let next = at(table.nextCircles, circle);
    next !== circle;
    next = at(table.nextCircles, next)
  ) {
    circles.push(next);
  }
  return circles;
}

/** Returns the maximum exposure to people who were in the circle during the whole tie. */
function boundOf(table: TieTable, { circle: own, from, to }: OwnTie, circle: number): number {
  return exposureBetween(table, own, circle, from, to) + ROUNDING_UNITS;
}
