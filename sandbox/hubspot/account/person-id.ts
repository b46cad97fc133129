/** Which contact a person of the world's list is. */

/**
 * The id of the first contact. Ids are numbers: with this one they soon get another digit, so that
 * who compares them as texts gets them out of order.
 */
const FIRST_CONTACT_ID = 9_751;

/** The id of the contact of the nth person (from 0); contacts come in the order of the list. */
export function contactIdOf(person: number): string {
  return `${FIRST_CONTACT_ID + person}`;
}
