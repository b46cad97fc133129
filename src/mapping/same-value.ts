import type { FieldValue } from '../core/crm-field.ts';

/** True if a user would see no difference between two values of a field. */
export function sameValue(one: FieldValue, other: FieldValue): boolean {
  if (one === other) return true;
  // Most fields of a new contact are empty, so this check comes first.
  if (one === null || other === null) return isBlank(one) && isBlank(other);
  return comparableText(one) === comparableText(other);
}

/** True if a field with this value is empty. */
export function isBlank(value: FieldValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/**
 * Returns a value's text for comparisons. Values that a CRM only stores differently have the same text. The differences
 * are line ends, white space around lines, trailing zeros of a number, and fractions of a second. A blank value becomes
 * an empty text. donor-sync fingerprints written values in this form, so it recognises its own value even if the CRM
 * returns the value in another form.
 */
export function comparableText(value: FieldValue): string {
  if (value === null) return '';
  if (typeof value === 'number') return plainNumber(value);
  if (typeof value === 'boolean') return String(value);
  const text = withPlainLines(composed(value)).trim();
  if (!MAY_BE_NUMBER.test(text)) return text;
  if (INSTANT.test(text)) return wholeSeconds(text);
  return DECIMAL.test(text) ? withoutZeros(text) : text;
}

/** Normalises the Unicode characters of a value. Most values are plain ASCII and need no change. */
function composed(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFC') : text;
}

/** Matches the start of a number or a time. */
const MAY_BE_NUMBER = /^-?\d/;

/**
 * Converts line ends. Most values have only one line. A search for line ends in these values would take longer than all
 * other steps.
 */
function withPlainLines(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  return lines.map((line) => line.trim()).join('\n');
}

/**
 * Removes trailing zeros without a regular expression, because a regular expression would restart at each of many
 * zeros.
 */
function withoutZeros(decimal: string): string {
  let end = decimal.length;
  while (decimal[end - 1] === '0') end -= 1;
  return decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end);
}

const DECIMAL = /^-?\d+\.\d+$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** Returns a time in whole seconds. Some CRMs write `+0000` for `Z` and do not store fractions of a second. */
function wholeSeconds(instant: string): string {
  const epochMs = Date.parse(instant.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  if (Number.isNaN(epochMs)) return instant;
  return new Date(epochMs - (((epochMs % 1000) + 1000) % 1000)).toISOString();
}

/** Returns a number as plain digits without grouping or exponent, such as `1000000`, `0.72` or `-5`. */
export function plainNumber(value: number): string {
  const text = String(value);
  return text.includes('e') ? withoutExponent(value) : text;
}

/** The maximum number of decimal places. No CRM stores more. */
const MAX_SHOWN_DECIMALS = 20;

function withoutExponent(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString();
  return value
    .toFixed(MAX_SHOWN_DECIMALS)
    .replace(/\.?(?<!0)0+$/, '')
    .replace(/^-0$/, '0');
}
