/** Which lists the keys of people are IDs of. */

/** Returns whether two sets of keys have IDs of one list. Tax returns name people without IDs. */
export function shareList(keys: readonly string[], others: readonly string[]): boolean {
  const lists = new Set(keys.filter((key) => !isOfReturn(key)).map(listOf));
  return others.some((key) => lists.has(listOf(key)));
}

/**
 * Returns the list of a key: `csv:gala:G1` belongs to the list `csv:gala`, and `fjc:12` to `fjc`.
 */
export function listOf(key: string): string {
  return key.slice(0, key.lastIndexOf(':'));
}

/** Returns whether a key is from a tax return. */
export function isOfReturn(key: string): boolean {
  return key.startsWith('990:');
}
