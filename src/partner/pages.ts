import { z } from 'zod';

/** Lists that the service tells page by page. Neither the words nor the sizes are documented. */

/** Which page is wanted. */
export interface PageRequest {
  /** The `nextCursor` of the page before; the first page without one. */
  cursor?: string;
  /** Entries of a page; the service's own choice unless told. */
  limit?: number;
}

/** One page of something. */
export interface Page<Entry> {
  entries: readonly Entry[];
  /** Begins the next page; null after the last one. */
  nextCursor: string | null;
}

/** A request for a page as query parameters. */
export function pageQuery({ cursor, limit }: PageRequest): URLSearchParams {
  const query = new URLSearchParams();
  if (limit !== undefined) query.set('limit', String(limit));
  if (cursor !== undefined) query.set('cursor', cursor);
  return query;
}

/** Where the next page begins, whatever else a reply holds; a bare list is the only page. */
export const nextCursorSchema = z
  .object({ next_cursor: z.string().min(1).nullish().catch(null) })
  .transform(({ next_cursor: cursor }) => cursor ?? null)
  .catch(null);
