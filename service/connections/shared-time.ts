/** Finds the periods that two donors spent in one organisation, and the exposure of each period. */

import { exposureAcross, exposureWithin } from './formula.ts';
import { at, curveAt, type TieTable } from './tie-table.ts';

/** A period in which a donor belonged to a circle. */
export interface OwnTie {
  circle: number;
  from: number;
  to: number;
}

/** A period in which two donors belonged to the same organisation. `formula.ts` defines the exposure. */
export interface SharedTime {
  organisation: number;
  source: OwnTie;
  target: OwnTie;
  /** The start and the end of the shared period. */
  from: number;
  to: number;
  exposure: number;
}

/** Returns all periods in which two donors belonged to one organisation. */
export function sharedTimes(table: TieTable, source: number, target: number): SharedTime[] {
  const targetTies = tiesOfDonor(table, target);
  return tiesOfDonor(table, source).flatMap((one) =>
    targetTies.flatMap((other) => {
      const organisation = at(table.circleOrganisations, one.circle);
      const from = Math.max(one.from, other.from);
      const to = Math.min(one.to, other.to);
      if (organisation !== at(table.circleOrganisations, other.circle) || from >= to) return [];
      const exposure = exposureBetween(table, one.circle, other.circle, from, to);
      return [{ organisation, source: one, target: other, from, to, exposure }];
    }),
  );
}

export function tiesOfDonor(table: TieTable, donor: number): OwnTie[] {
  const ties: OwnTie[] = [];
  const end = at(table.donorStarts, donor + 1);
  for (let row = at(table.donorStarts, donor); row < end; row++) {
    ties.push({
      circle: at(table.tieCircles, row),
      from: at(table.tieFroms, row),
      to: at(table.tieTos, row),
    });
  }
  return ties;
}

/**
 * Returns the exposure of two people to each other during a period. The two people may belong to different circles of
 * the organisation.
 */
export function exposureBetween(
  table: TieTable,
  own: number,
  other: number,
  from: number,
  to: number,
): number {
  const sum = curveAt(table, own, to) - curveAt(table, own, from);
  if (own === other) return exposureWithin(sum);
  return exposureAcross(sum, curveAt(table, other, to) - curveAt(table, other, from));
}

/**
 * Returns the total exposure between two donors. The first donor's ties are grouped by organisation. The function reads
 * columns directly, because a search calls it for many people.
 */
export function totalExposure(
  table: TieTable,
  ownByOrganisation: ReadonlyMap<number, OwnTie[]>,
  member: number,
): number {
  const { donorStarts, tieCircles, tieFroms, tieTos, circleOrganisations } = table;
  const end = donorStarts[member + 1] ?? 0;
  let exposure = 0;
  for (let row = donorStarts[member] ?? 0; row < end; row++) {
    const circle = tieCircles[row] ?? 0;
    const ties = ownByOrganisation.get(circleOrganisations[circle] ?? 0);
    if (ties === undefined) continue;
    for (const tie of ties) {
      const from = Math.max(tie.from, tieFroms[row] ?? 0);
      const to = Math.min(tie.to, tieTos[row] ?? 0);
      if (from < to) exposure += exposureBetween(table, tie.circle, circle, from, to);
    }
  }
  return exposure;
}
