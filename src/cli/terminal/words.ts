import type { Finding } from '../../../connectors/contract.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { countOf, formatCount, formatDuration } from '../../core/quantities.ts';

export { countOf, formatCount, formatDuration };

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

/** Enough of a run's or a hold's id to tell it from the others that a person looks at. */
const SHORT_ID_LENGTH = 8;

/** Fewer characters would name something by accident. */
const MIN_ID_LENGTH = 4;

/**
 * How lists show an id; commands take it back in this form. It is the end of the id: ids begin with
 * the time, which those of one night have in common.
 */
export function shortId(id: string): string {
  return id.slice(-SHORT_ID_LENGTH);
}

/**
 * The id that a person means, whole or by its end, or null if there is none. Throws a
 * ConfigurationError that lists the candidates if there are several.
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
    `"${typed}" is the end of several ids: ${found.join(', ')}. Write more of it.`,
    { code: 'id_ambiguous', details: { typed, found } },
  );
}

/** A finding, and the subjects of those that say the same of something else. */
export type MergedFinding<Each extends Finding> = Each & { others: string[] };

/**
 * The findings with those that differ in nothing but their subject put together: a new CRM lacks
 * every field of the map, and a person needs to read that once. In the order of the first of each.
 */
export function mergeAlike<Each extends Finding>(findings: readonly Each[]): MergedFinding<Each>[] {
  const merged = new Map<string, MergedFinding<Each>>();
  for (const finding of findings) {
    const { report: _, ...shown } = finding;
    const key = JSON.stringify({ ...shown, subject: null, message: withoutSubject(finding) });
    const first = merged.get(key);
    if (first === undefined) merged.set(key, { ...finding, others: [] });
    else first.others.push(nameOf(finding));
  }
  return [...merged.values()];
}

/** `The same of 2 others: donor_age, donor_bio.` */
export function sameOf(others: readonly string[]): string {
  return `The same of ${countOf(others.length, 'other')}: ${others.join(', ')}.`;
}

/** `field donor_age` is about `donor_age`. */
function nameOf({ subject }: Finding): string {
  return subject.split(' ').at(-1) ?? subject;
}

function withoutSubject(finding: Finding): string {
  return finding.message.replaceAll(nameOf(finding), '');
}
