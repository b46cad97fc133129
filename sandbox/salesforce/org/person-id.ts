/** Converts a person's number in the world to a contact ID. */

import { createId } from '../core/ids.ts';

/** Returns the contact ID of the nth person, counted from 0. The contacts have the same order as the list. */
export function contactIdOf(person: number): string {
  return createId('003', person + 1);
}
