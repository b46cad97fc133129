import { ConfigurationError } from '../../../core/errors.ts';
import {
  describeCount,
  formatCount,
  formatDuration,
  formatTimestamp,
} from '../../../core/quantities.ts';

export { shortId } from '../../../core/short-id.ts';
export { describeCount, formatCount, formatDuration, formatTimestamp };

let rateFormat: Intl.NumberFormat | undefined;

export function formatRate(perSecond: number): string {
  rateFormat ??= new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });
  return rateFormat.format(perSecond);
}

export function formatAgo(instant: string | number, now: number): string {
  return `${formatDuration(now - new Date(instant).getTime())} ago`;
}

export function formatLast(instant: string | number | null, now: number): string {
  return instant === null ? 'never' : formatAgo(instant, now);
}

/** The minimum length of a typed part of an ID. A shorter text could match an ID by accident. */
const MIN_ID_LENGTH = 6;

/**
 * Finds the ID for a typed part. Returns null if no ID matches. Throws a ConfigurationError with the candidates if
 * several IDs match.
 */
export function findId(typed: string, ids: Iterable<string>): string | null {
  const wanted = typed.toLowerCase();
  const found: string[] = [];
  for (const id of ids) {
    if (id === wanted) return id;
    if (wanted.length >= MIN_ID_LENGTH && id.endsWith(wanted)) found.push(id);
  }
  if (found.length <= 1) return found[0] ?? null;
  throw new ConfigurationError(
    `"${typed}" is the end of several IDs: ${found.join(', ')}. Enter more characters.`,
    { code: 'id_ambiguous', details: { typed, found } },
  );
}
