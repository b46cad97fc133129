/** Maps a person in the world's list to a constituent. */

/**
 * The ID of the first constituent. IDs soon have one more digit, so a client that compares them as text sorts them
 * incorrectly.
 */
export const FIRST_ID = 9_901;

/** IDs have gaps. After every tenth person, one ID belongs to an organization. */
export const IDS_PER_PERSON = { step: 2, every: 10 } as const;

/** Returns the constituent ID of the nth person (from 0). */
export function contactIdOf(person: number): string {
  return `${FIRST_ID + IDS_PER_PERSON.step * person}`;
}
