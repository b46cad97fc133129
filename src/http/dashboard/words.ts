/** Times as people read them on a page. */
import { countOf, formatDuration } from '../../core/quantities.ts';

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

/** `4.2 s`, between two instants in ISO 8601. */
export function formatSpan(from: string, to: string): string {
  return formatDuration(Date.parse(to) - Date.parse(from));
}
