import { createWorld } from '../../../people/world.ts';

/** Fifty donors, the same in every process. */
export const WORLD = createWorld({ seed: 1, donors: 50 });

/** Returns the IDs of the donors with these numbers. */
export function idsOf(...numbers: number[]): string[] {
  return numbers.map((number) => WORLD.donor(number).id);
}
