/** The people in a household live together. */

import { createDraw, type Draw } from './random.ts';
import { createWeighted } from './weighted.ts';

/** A person's role in the household. All children are adults here. */
export type Part = 'head' | 'partner' | 'child';

/** A person's place in a household. */
export interface Place {
  household: number;
  part: Part;
  /** The roles of everyone in the household, with the head first. */
  parts: readonly Part[];
}

/**
 * Every twelve consecutive numbers consist of complete households. This way, reading at most twelve people is enough to
 * find anyone's household.
 */
const DOZEN = 12;

const ALONE: readonly Part[] = ['head'];
const COUPLE: readonly Part[] = ['head', 'partner'];
const PARENT: readonly Part[] = ['head', 'child'];
const FAMILY: readonly Part[] = ['head', 'partner', 'child'];

const pickParts = createWeighted([
  { entry: ALONE, weight: 42 },
  { entry: COUPLE, weight: 45 },
  { entry: PARENT, weight: 4 },
  { entry: FAMILY, weight: 9 },
]);

/** The last household of a world can be incomplete. */
export function placeOf(seed: number, person: number): Place {
  const dozen = Math.floor(person / DOZEN);
  const draw = createDraw(seed, 'households', dozen);
  const end = (dozen + 1) * DOZEN;
  let household = dozen * DOZEN;
  let parts = drawParts(draw, end - household);
  while (household + parts.length <= person) {
    household += parts.length;
    parts = drawParts(draw, end - household);
  }
  return { household, part: parts[person - household] ?? 'head', parts };
}

function drawParts(draw: Draw, room: number): readonly Part[] {
  const parts = pickParts(draw);
  return parts.length <= room ? parts : ALONE;
}
