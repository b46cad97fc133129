import type { FieldValue } from '../core/crm-field.ts';

/** True if a user would see no difference between two values of a field. */
export function sameValue(one: FieldValue, other: FieldValue): boolean {
  if (one === other) return true;
  // Most fields of a new contact are empty, so this is checked first.
  if (one === null || other === null) return isBlank(one) && isBlank(other);
  return comparableText(one) === comparableText(other);
}

/** True if a field with this value is empty. */
export function isBlank(value: FieldValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/**
 * Values that a CRM merely stores differently have the same string. The differences are line ends, white space around
 * lines, trailing zeros of a number, and fractions of a second. A blank value becomes an empty string. Written values
 * are fingerprinted in this form, so we recognise a value as ours even if the CRM returns it in another form.
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

/** Composes the characters of a value. Most values are plain ASCII, and then there is nothing to do. */
function composed(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFC') : text;
}

/** A number or an instant starts like this. */
const MAY_BE_NUMBER = /^-?\d/;

/**
 * Converts line ends. Most values have one line. For these values, a search for line ends would take longer than all
 * other steps.
 */
function withPlainLines(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  return lines.map((line) => line.trim()).join('\n');
}

/** Does not use a regular expression, which would restart at each of many zeros. */
function withoutZeros(decimal: string): string {
  let end = decimal.length;
  while (decimal[end - 1] === '0') end -= 1;
  return decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end);
}

const DECIMAL = /^-?\d+\.\d+$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** Returns an instant in whole seconds. Some CRMs write `+0000` for `Z` and store no fractions. */
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

/** No CRM stores more decimal places than this. */
const MAX_SHOWN_DECIMALS = 20;

function withoutExponent(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString();
  return value
    .toFixed(MAX_SHOWN_DECIMALS)
    .replace(/\.?(?<!0)0+$/, '')
    .replace(/^-0$/, '0');
}
