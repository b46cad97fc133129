import { FIELD_SOURCES, type FieldSource } from '../core/field-map.ts';
import { isPlainLine } from '../core/printable.ts';
import type { Profile } from '../core/profile.ts';
import type { RawValue, RawValues } from './raw-value.ts';

/** A contact's best connection to a network, in the form for the CRM. */
export interface WarmPathValues {
  /** The strength, a number from 0 to 1. */
  strength: number | null;
  /** The full name of the member who could introduce the contact. */
  introducer: string | null;
  /** The name of the introducer's network. */
  network: string | null;
  /** The organisation that the two people share, for example an employer or a board. */
  via: string | null;
  /** The whole path in one sentence. */
  sentence: string | null;
}

/**
 * Returns all values that a profile and a warm path provide for a field map (design, section 4.2). An absent, blank or
 * non-finite value has no entry, so it can never erase a value in the CRM. `enhancedAtMs` is in epoch milliseconds.
 */
export function profileValues(
  profile: Profile,
  enhancedAtMs: number,
  warmPath: WarmPathValues | null = null,
): RawValues {
  const { name, netWorth, capacity } = profile;
  const work = distinct(profile.work);
  const education = distinct(profile.education);
  return toRawValues({
    donorId: text(profile.donorId),
    profileUrl: url(profile.profileUrl),
    'name.full': text([name.first, name.middle, name.last].map(oneLine).join(' ')),
    age: number(profile.age),
    'netWorth.low': number(netWorth?.low),
    'netWorth.high': number(netWorth === null ? null : closedHigh(netWorth.high)),
    'netWorth.label': range(netWorth),
    'capacity.nonprofit': number(capacity.nonprofit),
    'capacity.political': number(capacity.political),
    'capacity.highest': number(highest([capacity.nonprofit, capacity.political])),
    'work.primary': text(work[0]),
    'work.all': list(work),
    'education.primary': text(education[0]),
    'education.all': list(education),
    bio: prose(profile.bio),
    enhancedAt: instant(enhancedAtMs),
    ...(warmPath === null ? {} : pathValues(warmPath)),
  });
}

/** Returns the values of a warm path, if there is no new profile to deliver. */
export function warmPathValues(warmPath: WarmPathValues): RawValues {
  return toRawValues(pathValues(warmPath));
}

function pathValues(warmPath: WarmPathValues): SomeValues {
  return {
    'warmPath.strength': share(warmPath.strength),
    'warmPath.introducer': text(warmPath.introducer),
    'warmPath.network': text(warmPath.network),
    'warmPath.via': text(warmPath.via),
    'warmPath.sentence': prose([warmPath.sentence ?? '']),
  };
}

/** Values by source, or null if there is no value. */
type SomeValues = Partial<Record<FieldSource, RawValue | null>>;

function toRawValues(some: SomeValues): RawValues {
  const values = new Map<FieldSource, RawValue>();
  for (const source of FIELD_SOURCES) {
    const value = some[source];
    if (value != null) values.set(source, value);
  }
  return values;
}

/**
 * The largest amount that is shown. Nobody has a trillion dollars. If a range's upper bound consists of nines or is the
 * largest number of a program, the range is open, and the bound must not be shown.
 */
const OPEN_ENDED_FROM_USD = 999_999_999_999;

function closedHigh(high: number): number | null {
  return high < OPEN_ENDED_FROM_USD ? high : null;
}

function text(value: string | null | undefined): RawValue | null {
  const line = oneLine(value);
  return line === '' ? null : { kind: 'text', text: line };
}

function url(value: string | null): RawValue | null {
  const line = oneLine(value);
  return line === '' ? null : { kind: 'url', text: line };
}

function prose(paragraphs: readonly string[]): RawValue | null {
  const lines = paragraphs.map(oneLine).filter(Boolean);
  return lines.length === 0 ? null : { kind: 'prose', text: lines.join('\n\n') };
}

function list(items: readonly string[]): RawValue | null {
  return items.length === 0 ? null : { kind: 'list', items };
}

function number(value: number | null | undefined): RawValue | null {
  return isFigure(value) ? { kind: 'number', value } : null;
}

function share(value: number | null): RawValue | null {
  return isFigure(value) ? { kind: 'share', value } : null;
}

function range(bounds: Profile['netWorth']): RawValue | null {
  if (bounds === null || !isFigure(bounds.low)) return null;
  return { kind: 'range', low: bounds.low, high: closedHigh(bounds.high) };
}

function instant(epochMs: number): RawValue | null {
  return isFigure(epochMs) ? { kind: 'instant', epochMs } : null;
}

function isFigure(value: number | null | undefined): value is number {
  return Number.isFinite(value);
}

function highest(values: readonly (number | null)[]): number | null {
  const figures = values.filter(isFigure);
  return figures.length === 0 ? null : Math.max(...figures);
}

/**
 * Returns the values in their order. Leaves out blanks and duplicates. Values that differ only in case are duplicates.
 */
function distinct(values: readonly string[]): string[] {
  const lines = values.map(oneLine).filter(Boolean);
  if (lines.length < 2) return lines;
  const keys = lines.map((line) => line.toLowerCase());
  return lines.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

/**
 * Removes line breaks, control characters and halves of surrogate pairs, which do not belong in a one-line CRM field.
 */
function oneLine(value: string | null | undefined): string {
  const line = value ?? '';
  if (isPlainLine(line)) return line;
  return line
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}
