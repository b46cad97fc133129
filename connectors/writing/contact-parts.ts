/** The parts of a contact that a write must not change. All functions are pure. */

/** The content of each filled part, by its name. */
export type Parts = Readonly<Record<string, string>>;

/** Returns the kind of a part: all entries of a list are of one kind, so `Groups: 12` is of the kind `Groups`. */
export function kindOf(part: string): string {
  return part.split(':')[0] ?? part;
}

/** Returns the kinds of the filled parts. Parts with their default content prove nothing. */
export function kindsIn(parts: Parts, defaults: Parts): Set<string> {
  const telling = Object.entries(parts).filter(([name, value]) => defaults[name] !== value);
  return new Set(telling.map(([name]) => kindOf(name)));
}

/**
 * Returns the parts that were lost: filled before and blank after, or back at a default. A part with another content was
 * changed by a user, because a request cannot invent a content.
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
