/**
 * Returns the names by which the settings refer to a file's columns, in order. Two columns that are called `City`
 * become `City (1)` and `City (2)`. If a file already has a column `City (1)`, that column keeps its name. In such a
 * file, the settings cannot refer to the repeated columns. All functions are pure.
 */
export function settingNames(columns: readonly string[]): (string | null)[] {
  const times = new Map<string, number>();
  for (const name of columns) times.set(name, (times.get(name) ?? 0) + 1);
  const seen = new Map<string, number>();
  return columns.map((name) => {
    if (times.get(name) === 1) return name;
    const place = (seen.get(name) ?? 0) + 1;
    seen.set(name, place);
    const withPlace = `${name} (${place})`;
    return name === '' || times.has(withPlace) ? null : withPlace;
  });
}

/**
 * Returns the position of each column that the settings can refer to. If several columns have the same name, the
 * position of the last one is used.
 */
export function columnPositions(columns: readonly string[]): ReadonlyMap<string, number> {
  const known = cached.get(columns);
  if (known !== undefined) return known;
  const positions = new Map(columns.map((name, at) => [name, at]));
  for (const [at, name] of settingNames(columns).entries()) {
    if (name !== null) positions.set(name, at);
  }
  cached.set(columns, positions);
  return positions;
}

/** The result is cached, because each row of a file needs the same columns. */
const cached = new WeakMap<readonly string[], ReadonlyMap<string, number>>();
