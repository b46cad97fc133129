/** Builds the table of all ties. */

import { yearOf, yearsAt } from './calendar.ts';
import { growingColumn } from './column.ts';
import type { EntityType } from './entity-type.ts';
import { acquaintanceRate, freshness, TIE_KINDS, type TieKind } from './formula.ts';
import type { Tie } from './tie.ts';
import { at, type TieTable } from './tie-table.ts';

/** The name and the type of a circle, which the service needs only for display. */
export interface CircleName {
  organisationName: string;
  entityType: EntityType;
}

export interface TieTableBuilder {
  add(ties: readonly Tie[]): void;
  finish(): { table: TieTable; names: CircleName[] };
}

/**
 * Creates an empty table. `today` is the day on which the data about people ends, as a number of days (`calendar.ts`).
 */
export function createTieTableBuilder(today: number): TieTableBuilder {
  const circles = createCircles();
  const donorStarts = growingColumn(Uint32Array);
  const tieCircles = growingColumn(Uint32Array);
  const tieFroms = growingColumn(Uint16Array);
  const tieTos = growingColumn(Uint16Array);
  donorStarts.push(0);
  return {
    add(ties) {
      for (const tie of ties) {
        tieCircles.push(circles.numberOf(tie));
        tieFroms.push(tie.from);
        tieTos.push(tie.to);
      }
      donorStarts.push(tieCircles.length());
    },
    finish() {
      const byDonor = {
        donorStarts: donorStarts.finish(),
        tieCircles: tieCircles.finish(),
        tieFroms: tieFroms.finish(),
        tieTos: tieTos.finish(),
      };
      const byCircle = sortByCircle(byDonor, circles.list.length);
      const table = {
        ...byDonor,
        ...byCircle,
        ...circles.columns(),
        ...drawCurves(byCircle, circles.list, today),
      };
      return { table, names: circles.list };
    },
  };
}

interface Circle extends CircleName {
  kind: TieKind;
  organisation: number;
  leastSize: number;
}

function createCircles() {
  const list: Circle[] = [];
  const circleNumbers = new Map<string, number>();
  const organisationNumbers = new Map<string, number>();
  return {
    list,
    numberOf(tie: Tie): number {
      const key = `${tie.kind} ${tie.organisationId}`;
      const known = circleNumbers.get(key);
      if (known !== undefined) return known;
      const organisation = organisationNumbers.get(tie.organisationId) ?? organisationNumbers.size;
      organisationNumbers.set(tie.organisationId, organisation);
      const { organisationName, entityType, kind, leastSize } = tie;
      circleNumbers.set(key, list.length);
      return list.push({ organisationName, entityType, kind, organisation, leastSize }) - 1;
    },
    columns: () => ({
      circleKinds: Uint8Array.from(list, ({ kind }) => TIE_KINDS.indexOf(kind)),
      circleOrganisations: Uint32Array.from(list, ({ organisation }) => organisation),
      nextCircles: cycleOf(list),
    }),
  };
}

/** Links the circles of each organisation, so that the last circle leads to the first. */
function cycleOf(circles: readonly Circle[]): Uint32Array {
  const next = Uint32Array.from(circles.keys());
  const firstOf = new Map<number, number>();
  circles.forEach(({ organisation }, circle) => {
    const first = firstOf.get(organisation);
    if (first === undefined) {
      firstOf.set(organisation, circle);
    } else {
      next[circle] = at(next, first);
      next[first] = circle;
    }
  });
  return next;
}

type ByDonor = Pick<TieTable, 'donorStarts' | 'tieCircles' | 'tieFroms' | 'tieTos'>;
type ByCircle = Pick<TieTable, 'circleStarts' | 'memberDonors' | 'memberFroms' | 'memberTos'>;

/**
 * Sorts the rows by circle. Counts the rows first and then moves each row to its place, so the donors stay in order.
 */
function sortByCircle(ties: ByDonor, circleCount: number): ByCircle {
  const tieCount = ties.tieCircles.length;
  const circleStarts = new Uint32Array(circleCount + 1);
  for (const circle of ties.tieCircles) circleStarts[circle + 1] = at(circleStarts, circle + 1) + 1;
  for (let circle = 0; circle < circleCount; circle++) {
    circleStarts[circle + 1] = at(circleStarts, circle + 1) + at(circleStarts, circle);
  }
  const free = circleStarts.slice();
  const memberDonors = new Uint32Array(tieCount);
  const memberFroms = new Uint16Array(tieCount);
  const memberTos = new Uint16Array(tieCount);
  let donor = 0;
  for (let tie = 0; tie < tieCount; tie++) {
    while (at(ties.donorStarts, donor + 1) <= tie) donor += 1;
    const circle = at(ties.tieCircles, tie);
    const place = at(free, circle);
    free[circle] = place + 1;
    memberDonors[place] = donor;
    memberFroms[place] = at(ties.tieFroms, tie);
    memberTos[place] = at(ties.tieTos, tie);
  }
  return { circleStarts, memberDonors, memberFroms, memberTos };
}

function drawCurves(
  members: ByCircle,
  circles: readonly Circle[],
  today: number,
): Pick<TieTable, 'curveStarts' | 'curveFirstYears' | 'curves'> {
  const curves = growingColumn(Float64Array);
  const curveStarts = new Uint32Array(circles.length + 1);
  const curveFirstYears = new Uint8Array(circles.length);
  circles.forEach(({ kind, leastSize }, circle) => {
    const { firstYear, sizes } = sizesByYear(members, circle, today);
    curveFirstYears[circle] = firstYear;
    let sum = 0;
    curves.push(sum);
    sizes.forEach((size, index) => {
      const rate = acquaintanceRate(kind, Math.max(leastSize, size));
      sum += rate * freshnessIn(firstYear + index, today);
      curves.push(sum);
    });
    curveStarts[circle + 1] = curves.length();
  });
  return { curveStarts, curveFirstYears, curves: curves.finish() };
}

/** Returns the average number of people in a circle for each of its years. */
function sizesByYear(
  { circleStarts, memberFroms, memberTos }: ByCircle,
  circle: number,
  today: number,
): { firstYear: number; sizes: Float64Array } {
  const start = at(circleStarts, circle);
  const end = at(circleStarts, circle + 1);
  let first = today;
  let last = 0;
  for (let row = start; row < end; row++) {
    first = Math.min(first, at(memberFroms, row));
    last = Math.max(last, at(memberTos, row));
  }
  const firstYear = yearOf(first);
  const sizes = new Float64Array(yearOf(last) - firstYear + 1);
  for (let row = start; row < end; row++) {
    const from = yearsAt(at(memberFroms, row)) - firstYear;
    const to = yearsAt(at(memberTos, row)) - firstYear;
    for (let year = Math.floor(from); year < to; year++) {
      const share = Math.min(to, year + 1) - Math.max(from, year);
      sizes[year] = (sizes[year] ?? 0) + share / lengthOfYear(firstYear + year, today);
    }
  }
  return { firstYear, sizes };
}

/** Returns the length of a year. The current year is shorter, because it ends today. */
function lengthOfYear(year: number, today: number): number {
  return Math.min(1, yearsAt(today) - year);
}

/**
 * Returns the average freshness of acquaintances from one year, as if all acquaintances had started in the middle of
 * the year.
 */
function freshnessIn(year: number, today: number): number {
  return freshness(Math.max(0, yearsAt(today) - (year + 0.5)));
}
