/** Converts a person's number in the world to the ID of a constituent. */

/**
 * The ID of the first constituent. The following IDs soon have one more digit, so a client that sorts IDs as text sorts
 * them incorrectly.
 */
export const FIRST_ID = 9_901;

/** The gaps in the IDs. After every tenth person, one ID belongs to an organization. */
export const IDS_PER_PERSON = { step: 2, every: 10 } as const;

/** Returns the ID of the constituent for the nth person, counted from 0. */
export function contactIdOf(person: number): string {
  return `${FIRST_ID + IDS_PER_PERSON.step * person}`;
}
