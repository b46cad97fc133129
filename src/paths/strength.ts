/** The weakest connection that the service stores for networks (service document, section 8). */
export const STRENGTH_FLOOR = 0.45;

/**
 * Strengths are rounded to whole percent, because the likelihood that two people know each other is not more precise.
 */
const STRENGTH_STEPS = 100;

/** Rounds a strength from 0 to 1 for display. */
export function roundedStrength(strength: number): number {
  return Math.round(strength * STRENGTH_STEPS) / STRENGTH_STEPS;
}
