/** Numbers as the command line writes them. */
import { formatDuration } from '../../core/quantities.ts';

export { countOf, formatCount } from '../../core/quantities.ts';
export { formatDuration };

const RATE_FORMAT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });

/** `9.4` or `120`, for things by the second. */
export function formatRate(perSecond: number): string {
  return RATE_FORMAT.format(perSecond);
}

/** `2026-11-20 02:00 UTC`, for an instant in ISO 8601 or epoch milliseconds. */
export function formatMoment(instant: string | number): string {
  return `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `3 h 12 min ago` */
export function formatAgo(instant: string | number, now: number): string {
  return `${formatDuration(now - new Date(instant).getTime())} ago`;
}
