/** The length of the short form of an ID. Short IDs of this length distinguish the IDs that a user sees together. */
const SHORT_ID_LENGTH = 8;

/**
 * Returns the short form of an ID. The terminal shows this form, and commands accept it. The short form consists of the
 * last characters of the ID, because the first characters contain the time, which is similar for all IDs of one night.
 */
export function shortId(id: string): string {
  return id.slice(-SHORT_ID_LENGTH);
}
