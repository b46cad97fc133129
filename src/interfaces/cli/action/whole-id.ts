import { type Output, usageError } from '../terminal/output.ts';
import { findId } from '../terminal/words.ts';

/**
 * Returns the whole ID for a typed part, because lists show only the last characters of IDs. Returns the text unchanged
 * if no ID matches. Throws a ConfigurationError if several IDs match. In scripts, always throws it for a part, because
 * another ID may match tomorrow.
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
