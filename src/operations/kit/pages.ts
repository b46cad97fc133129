/** Input fields that all paged lists share. */
import { z } from 'zod';

/** Returns a field for the number of rows per page, at least 1. */
export function limitUpTo(most: number, byDefault: number) {
  return rowsUpTo(most).default(byDefault);
}

/** Returns a field for the number of rows. By default, all rows are returned. */
export function rowsUpTo(most: number) {
  const error = `Enter a number from 1 to ${most}.`;
  return z.int({ error }).min(1, { error }).max(most, { error });
}

export const CURSOR = z.string().optional().describe('The value of `next` on the previous page');

export const NEXT = z
  .string()
  .nullable()
  .describe('The cursor of the next page; null on the last page');
