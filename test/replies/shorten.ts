/** Shortens responses to the parts that are compared: keys, types and short values. */

/** Longer lists of similar items are cut. The other items are only counted. */
const MAX_ITEMS = 3;
const MAX_CHARACTERS = 400;

/** Matches durations of measured work. Durations from settings are kept. */
const MEASURED = /^(timeMs|durationMs|elapsedMs|uptimeMs|tookMs|etaMs|remainingMs|ageMs)$/;

export function shorten(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return cut(replace(value));
  if (typeof value === 'number') return shortenNumber(value);
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => shorten(item, replace));
    const rest = value.length - items.length;
    return rest === 0 ? items : [...items, `<${rest} more>`];
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      replace(key),
      MEASURED.test(key) ? `<${item === null ? 'null' : typeof item}>` : shorten(item, replace),
    ]),
  );
}

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** Shortens large numbers. The service's remaining credits have the same placeholder in all copies of a world. */
function shortenNumber(value: number): number | string {
  if (value > 1e12) return '<time>';
  return value >= 99_000 && value <= 100_000 ? '<balance>' : value;
}
