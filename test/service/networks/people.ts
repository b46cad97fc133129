import { createWorld } from '../../../people/world.ts';

/** A world of fifty donors, which are equal in every process. */
export const WORLD = createWorld({ seed: 1, donors: 50 });

/** Returns the IDs of the donors with the given numbers. */
export function idsOf(...numbers: number[]): string[] {
  return numbers.map((number) => WORLD.donor(number).id);
}
