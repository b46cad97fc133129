import { z } from 'zod';

/** Reads different forms of the same data. Services that follow the same document may send data in different forms. */

/** An ID, which some services send as a number. */
export const idSchema = z.union([z.string().min(1), z.int().transform(String)]);

/**
 * Returns a schema for a list that is the whole body, or that is in the body under this name. Errors contain the field.
 */
export function listUnder<Entry extends z.ZodType>(name: string, entry: Entry) {
  return z
    .preprocess(
      (json) => (Array.isArray(json) ? { [name]: json } : json),
      z.object({ [name]: z.array(entry) }),
    )
    .transform((body) => body[name] ?? []);
}

/** Returns a schema for an object that is the whole body or is in the body under this name. */
export function bareOrUnder<Thing extends z.ZodType>(name: string, thing: Thing) {
  return z.preprocess((json) => {
    const inner = looseObject.safeParse(json).data?.[name];
    return looseObject.safeParse(inner).success ? inner : json;
  }, thing);
}

/** Returns a schema for an object that may be a bare ID, or whose ID may have a second name. */
export function withIdAs<Thing extends z.ZodType>(name: string, otherName: string, thing: Thing) {
  return z.preprocess((json) => {
    if (idSchema.safeParse(json).success) return { [name]: json };
    const id = looseObject.safeParse(json).data?.[otherName];
    return id === undefined ? json : { [name]: id, ...looseObject.parse(json) };
  }, thing);
}

const looseObject = z.record(z.string(), z.unknown());

/**
 * Reads lists that the service returns page by page. The document describes neither the field names nor the page sizes.
 */

export interface PageRequest {
  /** The previous page's `nextCursor`. Omitted for the first page. */
  cursor?: string;
  /** The number of entries on a page. Defaults to the service's choice. */
  limit?: number;
}

export interface Page<Entry> {
  entries: readonly Entry[];
  /** The start of the next page, or null if this is the last page. */
  nextCursor: string | null;
}

export function pageQuery({ cursor, limit }: PageRequest): URLSearchParams {
  const query = new URLSearchParams();
  if (limit !== undefined) query.set('limit', String(limit));
  if (cursor !== undefined) query.set('cursor', cursor);
  return query;
}

/**
 * The start of the next page. The response may contain other fields. If the response is a bare list, there is only one
 * page.
 */
export const nextCursorSchema = z
  .object({ next_cursor: z.string().min(1).nullish().catch(null) })
  .transform(({ next_cursor: cursor }) => cursor ?? null)
  .catch(null);
