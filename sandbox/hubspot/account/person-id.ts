/** Maps a person of the world's list to a contact. */

/**
 * The ID of the first contact. IDs are numbers. From this one they soon gain a digit, so that a
 * client that compares them as texts gets them out of order.
 */
const FIRST_CONTACT_ID = 9_751;

/** Returns the contact ID of the nth person (from 0). Contacts are in the order of the list. */
export function contactIdOf(person: number): string {
  return `${FIRST_CONTACT_ID + person}`;
}
