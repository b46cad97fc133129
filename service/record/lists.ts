/** Which lists the keys of people are ids of. */

/** Returns whether two sets of keys have ids of one list. Returns name people without ids. */
export function shareList(keys: readonly string[], others: readonly string[]): boolean {
  const lists = new Set(keys.filter((key) => !isOfReturn(key)).map(listOf));
  return others.some((key) => lists.has(listOf(key)));
}

/** Returns the list of a key: `csv:gala:G1` is of the list `csv:gala`, and `fjc:12` of `fjc`. */
export function listOf(key: string): string {
  return key.slice(0, key.lastIndexOf(':'));
}

/** Returns whether a key is of a return of a tax. */
export function isOfReturn(key: string): boolean {
  return key.startsWith('990:');
}
