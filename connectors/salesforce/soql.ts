/** The text as a literal of Salesforce's query language. */
export function quoted(text: string): string {
  const escaped = text
    .replace(/[\\']/g, (character) => `\\${character}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
  return `'${escaped}'`;
}

/** A list of literals for `IN`. */
export function quotedList(texts: readonly string[]): string {
  return `(${texts.map(quoted).join(',')})`;
}

/** The conditions that are not null, all of which must hold, as a clause; empty without any. */
export function whereClause(conditions: readonly (string | null)[]): string {
  const present = conditions.filter((condition) => condition !== null);
  return present.length === 0 ? '' : ` WHERE ${present.join(' AND ')}`;
}
