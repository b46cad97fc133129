/** The part of an ID that is enough to distinguish the runs or decisions that a user sees. */
const SHORT_ID_LENGTH = 8;

/**
 * Returns the form in which the terminal shows an ID, and which its commands accept. It is the end of the ID, because
 * IDs start with the time, which is similar for all IDs of one night.
 */
export function shortId(id: string): string {
  return id.slice(-SHORT_ID_LENGTH);
}
