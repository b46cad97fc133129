/** Formats and parses times. The text of a time does not contain a time zone. */

/** Formats a time such as `2026-11-30 02:00:00` in this time zone. CiviCRM drops the milliseconds. */
export function formatTime(ms: number, timeZone: string): string {
  return formatterOf(timeZone).format(Math.floor(ms / 1000) * 1000);
}

/**
 * Parses a time as PHP's `strtotime` does. If the text contains no time zone, the site's time zone is used. Returns NaN
 * for any other text.
 */
export function parseTime(text: string, timeZone: string): number {
  const [, day = '', time = '00:00:00', zone] =
    /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?(?:\.\d+)? ?(Z|UTC|[+-]\d{2}:?\d{2})?$/.exec(
      text.trim(),
    ) ?? [];
  if (day === '') return Number.NaN;
  const asUtc = Date.parse(`${day}T${time}Z`);
  if (zone === 'Z' || zone === 'UTC') return asUtc;
  if (zone !== undefined)
    return Date.parse(`${day}T${time}${zone.replace(/(\d{2})(\d{2})$/, '$1:$2')}`);
  const offsetMs = Date.parse(`${formatTime(asUtc, timeZone).replace(' ', 'T')}Z`) - asUtc;
  return asUtc - offsetMs;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  // Formats dates in the Swedish format, which equals the format in SQL.
  const formatter = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });
  formatters.set(timeZone, formatter);
  return formatter;
}
