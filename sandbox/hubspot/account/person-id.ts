/** Maps a person of the world's list to a contact. */

/**
 * The ID of the first contact. IDs are numbers, and soon after this ID they have one more digit. A client that compares
 * IDs as text therefore sorts them incorrectly.
 */
const FIRST_CONTACT_ID = 9_751;

/** Returns the contact ID of the nth person (from 0). Contacts are in the order of the list. */
export function contactIdOf(person: number): string {
  return `${FIRST_CONTACT_ID + person}`;
}
