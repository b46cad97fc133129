/** A short form that distinguishes the IDs a user sees. */
const SHORT_ID_LENGTH = 8;

/**
 * The terminal shows this form, and commands accept it. Uses the last characters of the ID. The first characters encode
 * the time, which is similar for all IDs of one night.
 */
export function shortId(id: string): string {
  return id.slice(-SHORT_ID_LENGTH);
}
