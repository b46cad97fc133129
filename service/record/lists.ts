/** Finds the list that a person's key belongs to. */

/** True if two sets of keys contain IDs of the same list. Tax returns contain names but no IDs. */
export function shareList(keys: readonly string[], others: readonly string[]): boolean {
  const lists = new Set(keys.filter((key) => !isOfReturn(key)).map(listOf));
  return others.some((key) => lists.has(listOf(key)));
}

/**
 * Returns the list that a key belongs to: `csv:gala:G1` belongs to the list `csv:gala`, and `fjc:12` to
 * `fjc`.
 */
export function listOf(key: string): string {
  return key.slice(0, key.lastIndexOf(':'));
}

/**
 * A key's last colon ends the name of the list, so a colon in an ID is escaped. The escapes themselves are escaped too.
 * All other IDs stay as they are.
 */
export function keyIn(list: string, id: string): string {
  const escaped = id.replaceAll(/%(?=3A|25)/g, '%25').replaceAll(':', '%3A');
  return `${list}:${escaped}`;
}

/** True if a key is from a tax return. */
export function isOfReturn(key: string): boolean {
  return key.startsWith('990:');
}
