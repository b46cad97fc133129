/** Which contact a person of the world's list is. */

import { createId } from '../core/ids.ts';

/** The id of the contact of the nth person (from 0); contacts come in the order of the list. */
export function contactIdOf(person: number): string {
  return createId('003', person + 1);
}
