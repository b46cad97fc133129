/** The parts of a contact that a write must not change. All functions are pure. */

/** The content of each filled part. The key is the part's name. */
export type Parts = Readonly<Record<string, string>>;

/** Returns the kind of a part. All entries of a list are of one kind, so `Groups: 12` is of the kind `Groups`. */
export function kindOf(part: string): string {
  return part.split(':')[0] ?? part;
}

/** Returns the kinds of the filled parts. A part with its default content proves nothing. */
export function kindsIn(parts: Parts, defaults: Parts): Set<string> {
  const telling = Object.entries(parts).filter(([name, value]) => defaults[name] !== value);
  return new Set(telling.map(([name]) => kindOf(name)));
}

/**
 * Returns the parts that were lost. They had content before, but are now blank or have a default value. If a part has
 * different content now, a user has changed it, because a request cannot invent content.
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
