/** Numbers and times as people read them. */

const COUNT_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `12,345` */
export function formatCount(count: number): string {
  return COUNT_FORMAT.format(count);
}

/** `1 contact`, `1,200 contacts` */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

const UNITS = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
] as const;

/** `2 hours ago`, `in 5 minutes`, `just now`: the unit that matters, for an instant in ISO 8601. */
export function formatRelative(instant: string, nowMs: number): string {
  const distanceMs = Date.parse(instant) - nowMs;
  const unit = UNITS.find(({ ms }) => Math.abs(distanceMs) >= ms);
  if (unit === undefined) return distanceMs > 0 ? 'in a moment' : 'just now';
  const text = countOf(Math.floor(Math.abs(distanceMs) / unit.ms), unit.name);
  return distanceMs > 0 ? `in ${text}` : `${text} ago`;
}

/** `20 Nov 2026, 02:00 UTC`, for an instant in ISO 8601. */
export function formatMoment(instant: string): string {
  return `${MOMENT_FORMAT.format(new Date(instant))} UTC`;
}

const MOMENT_FORMAT = new Intl.DateTimeFormat('en-GB', {
  ...{ dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' },
});

/** `38 ms`, `4.2 s`, `42 s`, `3 min 5 s`, `2 h 10 min`, between two instants in ISO 8601. */
export function formatSpan(from: string, to: string): string {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
