/** Converts a person's number in the world to a contact ID. */

/**
 * The ID of the first contact. The following IDs soon have one more digit, so a client that sorts IDs as text sorts
 * them incorrectly.
 */
const FIRST_CONTACT_ID = 9_751;

/** Returns the contact ID of the nth person in the list, counted from 0. */
export function contactIdOf(person: number): string {
  return `${FIRST_CONTACT_ID + person}`;
}
