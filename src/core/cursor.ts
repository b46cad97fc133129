/** Where the next page of a list starts, as a word that callers pass on and do not read. */
import { z } from 'zod';
import { ConfigurationError } from './errors.ts';

const positionSchema = z.tuple([z.int(), z.string().regex(/^\P{Cc}+$/u)]);

/** What the list is sorted by: a number, and an ID among those that share it. */
export type Position = z.infer<typeof positionSchema>;

export function writeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** A page of a list that is at hand as a whole: what follows the page of the cursor, at most `limit`. */
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

/** Throws a ConfigurationError (invalid) for a word that no list has returned. */
export function readCursor(cursor: string): Position {
  try {
    return positionSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new ConfigurationError('The cursor is not one that this list has given.', {
      code: 'cursor_invalid',
    });
  }
}
