/** Maps a person in the world's list to a contact. */

/**
 * The ID of the first contact. IDs are numbers that soon get one more digit, so a client that compares them as text
 * sorts them incorrectly.
 */
const FIRST_CONTACT_ID = 9_751;

/** Returns the contact ID of the nth person (from 0), in the order of the list. */
export function contactIdOf(person: number): string {
  return `${FIRST_CONTACT_ID + person}`;
}
