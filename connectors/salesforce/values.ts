import type { FieldValue } from '../../src/core/crm-field.ts';
import type { DescribedField } from './describe.ts';

const NUMBER_TYPES: ReadonlySet<string> = new Set(['int', 'long', 'double', 'currency', 'percent']);

/** Separates the values of a multi-select picklist. */
const PICKED_SEPARATOR = ';';

/** Returns a value from JSON or CSV in the canonical form of its field's type. */
export function canonicalValue(raw: unknown, field: DescribedField): FieldValue {
  if (typeof raw === 'boolean' || typeof raw === 'number') return raw;
  if (typeof raw !== 'string' || raw.trim() === '') return null;
  if (NUMBER_TYPES.has(field.type)) return Number(raw);
  switch (field.type) {
    case 'boolean':
      return raw === 'true';
    case 'datetime':
      return isoInstant(raw);
    case 'multipicklist':
      return inOrder(raw, field);
    default:
      return raw;
  }
}

/**
 * Returns true if Salesforce can convert the JSON value to the field's type. Also returns true for an unknown field.
 */
export function isReadable(value: FieldValue, field: DescribedField | undefined): boolean {
  if (value === null || field === undefined) return true;
  if (NUMBER_TYPES.has(field.type)) {
    return typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value));
  }
  if (field.type === 'boolean')
    return typeof value === 'boolean' || /^(true|false)$/.test(`${value}`);
  return !DATE_TYPES.has(field.type) || (typeof value === 'string' && DATE.test(value));
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const DATE_TYPES: ReadonlySet<string> = new Set(['date', 'datetime']);
const DATE = /^\d{4}-\d{2}-\d{2}/;

/** Returns a string without surrounding white space, or null if it is blank or not a string. */
export function blankToNull(raw: unknown): string | null {
  if (typeof raw !== 'string') return null;
  const text = raw.trim();
  return text === '' ? null : text;
}

/** Returns an instant that ends in `Z`. Salesforce writes instants as `2026-11-20T02:00:00.000+0000`. */
export function isoInstant(text: string): string {
  const epochMs = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(epochMs) ? text : new Date(epochMs).toISOString();
}

/** Returns values in the order of the picklist. Values that the picklist no longer contains come last. */
function inOrder(raw: string, { picklistValues }: DescribedField): string {
  const picked = raw.split(PICKED_SEPARATOR);
  const order = (picklistValues ?? []).map(({ value }) => value);
  const known = order.filter((value) => picked.includes(value));
  const others = picked.filter((value) => !order.includes(value));
  return [...known, ...others].join(PICKED_SEPARATOR);
}
