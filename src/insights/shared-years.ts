/** When two people were at the same place, in calendar years; `to` is null while it lasts. */
export interface SharedYears {
  from: number;
  to: number | null;
}

/**
 * The years in a connection's snippet, such as `Both on the board of Hill College, 2012–2018; also
 * …`, or null where it names none. Whatever a snippet looks like is possible (service document,
 * section 2.2), so years in the organization's own name are left out.
 */
export function sharedYearsIn(snippet: string, entityName: string | null): SharedYears | null {
  const text = afterName(snippet, entityName).split(';')[0] ?? '';
  const range = /\b(\d{4})\s?[–—-]\s?(\d{4})\b/.exec(text);
  if (range) return plausible(Number(range[1]), Number(range[2]));
  const since =
    /\bsince (\d{4})\b/i.exec(text) ?? /\b(\d{4})\s?[–—-]\s?(?:present|now)\b/i.exec(text);
  if (since) return plausible(Number(since[1]), null);
  const single = /(?:,|\bin) (\d{4})$/.exec(text.trim());
  return single ? plausible(Number(single[1]), Number(single[1])) : null;
}

function afterName(snippet: string, entityName: string | null): string {
  const start = entityName === null ? -1 : snippet.indexOf(entityName);
  return start === -1 ? snippet : snippet.slice(start + (entityName ?? '').length);
}

/** Nobody who is alive was anywhere before. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2200;

function plausible(from: number, to: number | null): SharedYears | null {
  const isPlausible = from >= FIRST_YEAR && (to ?? from) >= from && (to ?? from) <= LAST_YEAR;
  return isPlausible ? { from, to } : null;
}
