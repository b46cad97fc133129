/** Where the next page of a list starts, as a word that callers pass on and do not read. */
import { z } from 'zod';
import { ConfigurationError } from './errors.ts';

const positionSchema = z.tuple([z.int(), z.string().regex(/^\P{Cc}+$/u)]);

/** What the list is sorted by: a number, and an ID among those that share it. */
export type Position = z.infer<typeof positionSchema>;

export function writeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
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
