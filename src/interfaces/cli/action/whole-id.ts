import { type Output, usageError } from '../terminal/output.ts';
import { findId } from '../terminal/words.ts';

/**
 * Finds the ID that ends with this text, because lists show only the last characters. If no ID ends with it, returns
 * the text unchanged. Throws a ConfigurationError if several IDs do, and always in scripts, because the same end can
 * mean another ID tomorrow.
 */
export function wholeId(
  { isJson }: Pick<Output, 'isJson'>,
  typed: string,
  ids: readonly string[],
): string {
  const id = findId(typed, ids) ?? typed;
  if (!isJson || id.length === typed.length) return id;
  throw usageError(
    `With --json or --yes, use the whole ID instead of its end: ${id}. Nothing was changed.`,
  );
}
