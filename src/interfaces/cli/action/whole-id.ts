import { type Output, usageError } from '../terminal/output.ts';
import { findId } from '../terminal/words.ts';

/**
 * The ID that is meant by its end, as lists show it; the text as it is if no ID has this end. Throws a
 * ConfigurationError if several have it, and for scripts: what they name by its end can be another one tomorrow.
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
