/** Enough of a run's or a hold's ID to tell it from the others that a user looks at. */
const SHORT_ID_LENGTH = 8;

/**
 * How lists of the terminal show an ID; its commands accept that form. It is the end of the ID: IDs start with the
 * time, which those of one night have in common.
 */
export function shortId(id: string): string {
  return id.slice(-SHORT_ID_LENGTH);
}
