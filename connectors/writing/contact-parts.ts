/** Compares the parts of a contact that a write must not change. All functions are pure. */

/** The content of each part that is not blank. The map's key is the part's name. */
export type Parts = Readonly<Record<string, string>>;

/**
 * Returns the kind of a part. All entries of a list have the same kind. For example, `Groups: 12` has the kind
 * `Groups`.
 */
export function kindOf(part: string): string {
  return part.split(':')[0] ?? part;
}

/**
 * Returns the kinds of the parts that are not blank. A part with its default content does not show whether a write
 * keeps the part.
 */
export function kindsIn(parts: Parts, defaults: Parts): Set<string> {
  const telling = Object.entries(parts).filter(([name, value]) => defaults[name] !== value);
  return new Set(telling.map(([name]) => kindOf(name)));
}

/**
 * Returns the parts that were lost. A lost part had content before the write, but is now blank or has a default value.
 * If a part has different content now, a user has changed it, because a request cannot invent content.
 */
export function findLost(before: Parts, after: Parts, defaults: Parts): string[] {
  return Object.keys(before).filter((name) => {
    const value = after[name] ?? '';
    return value !== before[name] && (value === '' || value === defaults[name]);
  });
}

export function pickParts(parts: Parts, names: readonly string[]): Parts {
  return Object.fromEntries(names.map((name) => [name, parts[name] ?? '']));
}
