import { type Output, usageError } from '../terminal/output.ts';
import { findId } from '../terminal/words.ts';

/**
 * The ID with this end, as lists show it; the unchanged text if no ID has this end. Throws a ConfigurationError if
 * several IDs have this end. Throws one for scripts too, because the same end can mean another ID tomorrow.
 */
export function wholeId(
  { isJson }: Pick<Output, 'isJson'>,
  typed: string,
  ids: readonly string[],
): string {
  const id = findId(typed, ids) ?? typed;
  if (!isJson || id.length === typed.length) return id;
  throw usageError(
    `With --json or --yes, write the whole ID, not its end: ${id}. Nothing was changed.`,
  );
}
