import type { FieldSource } from '../core/field-map.ts';
import type { Profile } from '../core/profile.ts';
import type { RawValue, RawValues } from './raw-value.ts';

/** A contact's best connection to one of the networks, as it is written to the CRM. */
export interface WarmPathValues {
  /** Between 0 and 1. */
  strength: number | null;
  /** The full name of the member who could make the introduction. */
  introducer: string | null;
  /** The name of the network that the introducer belongs to. */
  network: string | null;
  /** What the two share, for example an employer or a board. */
  via: string | null;
  /** The whole path in one sentence. */
  sentence: string | null;
}

/**
 * Every value that a profile, and a warm path if there is one, can give to a field map (design,
 * section 4.2). What is absent, blank or not a finite number has no entry, so that it can never
 * erase a value in the CRM. `enhancedAtMs` is in milliseconds since 1970-01-01T00:00:00Z.
 */
export function profileValues(
  profile: Profile,
  enhancedAtMs: number,
  warmPath: WarmPathValues | null = null,
): RawValues {
  const { name, netWorth, capacity } = profile;
  return new Map([
    ...text('donorId', profile.donorId),
    ...url('profileUrl', profile.profileUrl),
    ...text('name.full', [name.first, name.middle, name.last].map(oneLine).join(' ')),
    ...number('age', profile.age),
    ...number('netWorth.low', netWorth?.low),
    ...number('netWorth.high', netWorth === null ? null : closedHigh(netWorth.high)),
    ...range('netWorth.label', netWorth),
    ...number('capacity.nonprofit', capacity.nonprofit),
    ...number('capacity.political', capacity.political),
    ...number('capacity.highest', highest([capacity.nonprofit, capacity.political])),
    ...text('work.primary', distinct(profile.work)[0]),
    ...list('work.all', profile.work),
    ...text('education.primary', distinct(profile.education)[0]),
    ...list('education.all', profile.education),
    ...prose('bio', profile.bio),
    ...instant('enhancedAt', enhancedAtMs),
    ...(warmPath === null ? [] : warmPathValues(warmPath)),
  ]);
}

/** The values of a warm path alone, for when there is no new profile to deliver. */
export function warmPathValues(warmPath: WarmPathValues): RawValues {
  return new Map([
    ...share('warmPath.strength', warmPath.strength),
    ...text('warmPath.introducer', warmPath.introducer),
    ...text('warmPath.network', warmPath.network),
    ...text('warmPath.via', warmPath.via),
    ...prose('warmPath.sentence', [warmPath.sentence ?? '']),
  ]);
}

/**
 * No person owns a trillion dollars: an upper bound of all nines or of a program's largest number
 * says that the range is open, and is no figure to show to anyone.
 */
const OPEN_ENDED_FROM_USD = 999_999_999_999;

function closedHigh(high: number): number | null {
  return high < OPEN_ENDED_FROM_USD ? high : null;
}

/** No entry or one, so that a map can be written down as a list of sources. */
type Entries = [FieldSource, RawValue][];

function text(source: FieldSource, value: string | null | undefined): Entries {
  const line = oneLine(value);
  return line === '' ? [] : [[source, { kind: 'text', text: line }]];
}

function url(source: FieldSource, value: string | null): Entries {
  const line = oneLine(value);
  return line === '' ? [] : [[source, { kind: 'url', text: line }]];
}

function prose(source: FieldSource, paragraphs: readonly string[]): Entries {
  const lines = paragraphs.map(oneLine).filter(Boolean);
  return lines.length === 0 ? [] : [[source, { kind: 'prose', text: lines.join('\n\n') }]];
}

function list(source: FieldSource, values: readonly string[]): Entries {
  const items = distinct(values);
  return items.length === 0 ? [] : [[source, { kind: 'list', items }]];
}

function number(source: FieldSource, value: number | null | undefined): Entries {
  return isFigure(value) ? [[source, { kind: 'number', value }]] : [];
}

function share(source: FieldSource, value: number | null): Entries {
  return isFigure(value) ? [[source, { kind: 'share', value }]] : [];
}

function range(source: FieldSource, bounds: Profile['netWorth']): Entries {
  if (bounds === null || !isFigure(bounds.low)) return [];
  return [[source, { kind: 'range', low: bounds.low, high: closedHigh(bounds.high) }]];
}

function instant(source: FieldSource, epochMs: number): Entries {
  return isFigure(epochMs) ? [[source, { kind: 'instant', epochMs }]] : [];
}

function isFigure(value: number | null | undefined): value is number {
  return Number.isFinite(value);
}

function highest(values: readonly (number | null)[]): number | null {
  const figures = values.filter(isFigure);
  return figures.length === 0 ? null : Math.max(...figures);
}

/** The values in their order, without blanks and without those that differ only in case. */
function distinct(values: readonly string[]): string[] {
  const lines = values.map(oneLine).filter(Boolean);
  const keys = lines.map((line) => line.toLowerCase());
  return lines.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

/** Line breaks, control characters and halves of characters have no place in a CRM's line. */
function oneLine(value: string | null | undefined): string {
  return (value ?? '')
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}
