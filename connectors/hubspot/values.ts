import type { FieldValue } from '../../src/core/crm-field.ts';
import type { DescribedProperty } from './describe.ts';

/** The character that separates the selected values of a checkbox enumeration. */
export const PICKED_SEPARATOR = ';';

/** The number of digits to which a percentage is rounded. Without rounding, 0.72 would become 72.00000000000001. */
const PERCENT_DIGITS = 10;

export function canonicalValue(raw: unknown, property: DescribedProperty): FieldValue {
  if (typeof raw !== 'string' || raw.trim() === '') return null;
  switch (property.type) {
    case 'number':
      return toNumber(raw, property);
    case 'bool':
      return raw === 'true';
    case 'date':
      return toDay(raw);
    case 'datetime':
      return toInstant(raw);
    case 'enumeration':
      return toPicked(raw, property);
    default:
      return raw;
  }
}

/**
 * Converts a canonical value to the form that HubSpot accepts. An empty string clears a property. Dates and instants
 * have the same form in reading and writing (ISO 8601).
 */
export function wireValue(value: FieldValue, property: DescribedProperty | undefined): string {
  if (value === null) return '';
  if (typeof value === 'number' && property !== undefined && isPercent(property)) {
    return String(Number((value / 100).toFixed(PERCENT_DIGITS)));
  }
  return String(value);
}

/** Returns true for a percentage. For example, HubSpot stores 0.72 and shows 72. */
export function isPercent({ type, numberDisplayHint }: DescribedProperty): boolean {
  return type === 'number' && numberDisplayHint === 'percentage';
}

/**
 * Returns true for an enumeration that is a single checkbox. The options of a single checkbox are `true` and `false`.
 */
export function isCheckbox({ type, fieldType }: DescribedProperty): boolean {
  return type === 'enumeration' && fieldType === 'booleancheckbox';
}

/** Returns true for an enumeration that can have several values. */
export function isMultiple({ type, fieldType }: DescribedProperty): boolean {
  return type === 'enumeration' && fieldType === 'checkbox';
}

function toNumber(raw: string, property: DescribedProperty): number | null {
  const value = Number(raw);
  if (!Number.isFinite(value)) return null;
  return isPercent(property) ? Number((value * 100).toFixed(PERCENT_DIGITS)) : value;
}

/** Converts a date to the form `2026-11-20`, which HubSpot usually returns. Older values are epoch ms at midnight. */
function toDay(raw: string): string {
  const epochMs = EPOCH_MS.test(raw) ? Number(raw) : Number.NaN;
  return Number.isNaN(epochMs)
    ? raw.slice(0, DAY_LENGTH)
    : toIso(epochMs, raw).slice(0, DAY_LENGTH);
}

function toInstant(raw: string): string {
  return toIso(EPOCH_MS.test(raw) ? Number(raw) : Date.parse(raw), raw);
}

const EPOCH_MS = /^-?\d+$/;
const DAY_LENGTH = '2026-11-20'.length;

function toIso(epochMs: number, otherwise: string): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? otherwise : date.toISOString();
}

/** Returns the selected values in the order of the property's options. Values that are not options come last. */
function toPicked(raw: string, property: DescribedProperty): FieldValue {
  if (isCheckbox(property)) return raw === 'true';
  if (!isMultiple(property)) return raw;
  const picked = raw.split(PICKED_SEPARATOR);
  const order = property.options.map(({ value }) => value);
  const known = order.filter((value) => picked.includes(value));
  const others = picked.filter((value) => value !== '' && !order.includes(value));
  return [...known, ...others].join(PICKED_SEPARATOR);
}
