/** Generates households, which consist of people who live together. */

import { createDraw, type Draw } from './random.ts';
import { createWeighted } from './weighted.ts';

/** A person's role in the household. All children are adults. */
export type Part = 'head' | 'partner' | 'child';

/** A person's role in a household, and the household's other members. */
export interface Place {
  household: number;
  part: Part;
  /** The roles of all members. The head comes first. */
  parts: readonly Part[];
}

/**
 * The number of people in a block. Each block contains only complete households. To find a person's household, it is
 * enough to read the person's block.
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

/** Returns a person's place. The last household of a world may be incomplete. */
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
