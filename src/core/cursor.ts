/** Creates and reads the cursors of paged lists. The request for the next page contains the cursor. */
import { z } from 'zod';
import { ConfigurationError } from './errors.ts';

const positionSchema = z.tuple([z.int(), z.string().regex(/^\P{Cc}+$/u)]);

/** The sort key of an entry, and an ID that distinguishes entries with the same key. */
export type Position = z.infer<typeof positionSchema>;

export function writeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Returns at most `limit` entries after the cursor from a list in memory. */
export function getPage<One extends { id: string }>(
  all: readonly One[],
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): { page: One[]; next: string | null } {
  const [from] = cursor === undefined ? [0] : readCursor(cursor);
  const end = from + limit;
  const page = all.slice(from, end);
  const last = end < all.length ? page.at(-1) : undefined;
  return { page, next: last === undefined ? null : writeCursor([end, last.id]) };
}

/** Reads a cursor. Throws a ConfigurationError (invalid) for an unknown value. */
export function readCursor(cursor: string): Position {
  try {
    return positionSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw unknownCursor();
  }
}

export function unknownCursor(): ConfigurationError {
  return new ConfigurationError('The cursor was not returned by this list.', {
    code: 'cursor_invalid',
  });
}
