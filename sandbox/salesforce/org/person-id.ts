/** Maps a person in the world's list to a contact. */

import { createId } from '../core/ids.ts';

/** Returns the contact ID of the nth person (from 0). Contacts are in the order of the list. */
export function contactIdOf(person: number): string {
  return createId('003', person + 1);
}
