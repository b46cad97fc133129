/** Where a list goes on, as an opaque word for the caller. */
import { z } from 'zod';
import { HttpError } from './http-error.ts';

const positionSchema = z.tuple([z.int(), z.string().regex(/^\P{Cc}+$/u)]);

/** What the list is sorted by: a number, and an id among those that share it. */
export type Position = z.infer<typeof positionSchema>;

export function writeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Throws an HttpError (422) for a word that no list has given. */
export function readCursor(cursor: string): Position {
  try {
    return positionSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new HttpError(422, 'cursor_invalid', 'The cursor is not one that this list has given.');
  }
}
