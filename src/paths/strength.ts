/** The weakest connection that the service stores for networks (service document, section 8). */
export const STRENGTH_FLOOR = 0.45;

/** Whole percent: the likelihood of an acquaintance is not known any better. */
const STRENGTH_STEPS = 100;

/** A strength between 0 and 1 as it is shown. */
export function roundedStrength(strength: number): number {
  return Math.round(strength * STRENGTH_STEPS) / STRENGTH_STEPS;
}
