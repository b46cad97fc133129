/** Returns long lists in pages. */

import { z } from '@hono/zod-openapi';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

const wholeLimit = z.int().min(1).max(MAX_LIMIT);

/** The number of entries on a page, as a member of a request body. A page has 50 entries by default and at most 500. */
export const limitSchema = wholeLimit
  .default(DEFAULT_LIMIT)
  .openapi({ description: 'Entries of a page', example: DEFAULT_LIMIT });

/** The number of entries on a page, as a URL parameter. */
export const limitQuerySchema = z.coerce.number().pipe(wholeLimit).default(DEFAULT_LIMIT).openapi({
  type: 'integer',
  minimum: 1,
  maximum: MAX_LIMIT,
  description: 'Entries of a page',
  example: DEFAULT_LIMIT,
});

/** The parameters of every endpoint that returns a list in pages. */
export const pageQuerySchema = z.object({
  limit: limitQuerySchema,
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'the cursor should be the next_cursor of the page before')
    .transform(Number)
    .optional()
    .openapi({ type: 'string', description: 'The next_cursor of the page before' }),
});

/** The start of the next page, or null on the last page. */
export const nextCursorSchema = z
  .string()
  .nullable()
  .openapi({ description: 'The cursor of the next page; null after the last page' });

export interface Page<Entry> {
  entries: Entry[];
  nextCursor: string | null;
}

/** Creates a page of up to `limit` entries. The caller must have read one more entry than the page can contain. */
export function toPage<Entry>(
  read: readonly Entry[],
  limit: number,
  cursorOf: (entry: Entry) => number,
): Page<Entry> {
  const entries = read.slice(0, limit);
  const last = entries.at(-1);
  const isMore = read.length > limit && last !== undefined;
  return { entries, nextCursor: isMore ? String(cursorOf(last)) : null };
}
