/** What operations have in common that list page by page. */
import { z } from 'zod';

/** A number of rows, from 1 up. */
export function limitUpTo(most: number, byDefault: number) {
  return rowsUpTo(most).default(byDefault);
}

/** Likewise, where all rows are listed unless it is given. */
export function rowsUpTo(most: number) {
  const error = `Write a number from 1 to ${most}.`;
  return z.int({ error }).min(1, { error }).max(most, { error });
}

export const CURSOR = z.string().optional().describe('The `next` of the page before');

export const NEXT = z.string().nullable().describe('The cursor of the next page, if any');
