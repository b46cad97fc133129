/**
 * Defines the order in which contacts are read. Contacts are sorted by the time of their last change, and then by ID.
 */

import { z } from 'zod';
import { readAs } from '../errors.ts';
import { type QueryRecord, quoted } from '../query.ts';
import { isoInstant } from '../values.ts';

/** The number of rows in one request. Salesforce sets this maximum. */
export const PAGE_ROWS = 2_000;

/** A reading's position in the order of `SystemModstamp` and `Id`. The timestamp is in ISO 8601. */
export interface Position {
  stamp: string;
  id: string;
}

const rowSchema = z.object({
  SystemModstamp: z.string().transform(isoInstant).pipe(z.iso.datetime()),
  Id: z.string(),
});

/** Returns the position of a row, or null if there is no row. */
export function toPosition(row: QueryRecord | undefined): Position | null {
  if (row === undefined) return null;
  const { SystemModstamp: stamp, Id: id } = readAs(rowSchema, row);
  return { stamp, id };
}

/**
 * Returns the condition that selects the records after a position. The query needs a second condition that excludes
 * older records.
 */
export function afterPosition({ stamp, id }: Position): string {
  return `(SystemModstamp > ${stamp} OR Id > ${quoted(id)})`;
}
