/** Writes times as a clock in a time zone shows them, without the product's code. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a time as a clock in the time zone shows it, for example `2026-03-29 03:00`. */
export function toLocalText(ms: number, timezone: string): string {
  let format = formats.get(timezone);
  if (format === undefined) {
    // Swedes write dates and times as ISO 8601 does.
    const style = { dateStyle: 'short', timeStyle: 'short' } as const;
    format = new Intl.DateTimeFormat('sv-SE', { ...style, timeZone: timezone });
    formats.set(timezone, format);
  }
  return format.format(ms);
}
