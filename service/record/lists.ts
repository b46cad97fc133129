/** Finds the list that a person's key belongs to. */

/** Returns true if the two sets of keys contain IDs from one list. Tax returns contain names but no IDs. */
export function shareList(keys: readonly string[], others: readonly string[]): boolean {
  const lists = new Set(keys.filter((key) => !isOfReturn(key)).map(listOf));
  return others.some((key) => lists.has(listOf(key)));
}

/**
 * Returns the list that a key belongs to. For example, `csv:gala:G1` belongs to the list `csv:gala`, and `fjc:12`
 * belongs to `fjc`.
 */
export function listOf(key: string): string {
  return key.slice(0, key.lastIndexOf(':'));
}

/**
 * Returns the key for an ID in a list. The key's last colon ends the name of the list, so a colon in the ID is escaped.
 * The escape character itself is also escaped. All other IDs stay as they are.
 */
export function keyIn(list: string, id: string): string {
  const escaped = id.replaceAll(/%(?=3A|25)/g, '%25').replaceAll(':', '%3A');
  return `${list}:${escaped}`;
}

/** Returns true if a key comes from a tax return. */
export function isOfReturn(key: string): boolean {
  return key.startsWith('990:');
}
