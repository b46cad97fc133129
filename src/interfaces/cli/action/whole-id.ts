import { type Output, usageError } from '../terminal/output.ts';
import { findId } from '../terminal/words.ts';

/**
 * Lists show only the end of an ID, so this finds the whole ID. Returns the text unchanged without a match. Throws a
 * ConfigurationError for several matches, and always in scripts, because another ID may match tomorrow.
 */
export function wholeId(
  { isJson }: Pick<Output, 'isJson'>,
  typed: string,
  ids: readonly string[],
): string {
  const id = findId(typed, ids) ?? typed;
  if (!isJson || id.length === typed.length) return id;
  throw usageError(
    `With --json or --yes, enter the whole ID, not just its end: ${id}. Nothing was changed.`,
  );
}
