/** Converts values between JSON and the database. */

import { type Field, isText, type StoredValue } from './field.ts';

/** Represents a value that the field cannot store. */
export const NOT_OF_TYPE = Symbol('not of type');

/**
 * Converts a value to its stored form. Removes white space at both ends of a text. A text that contains only white
 * space becomes empty. Returns `NOT_OF_TYPE` if the value does not match the field's type. The function also accepts
 * texts for all types, because CSV contains only texts.
 */
export function readValue(field: Field, value: unknown): StoredValue | typeof NOT_OF_TYPE {
  if (value === null || value === undefined) return field.type === 'boolean' ? 0 : null;
  if (isWord(field)) return readText(value);
  if (typeof value === 'string' && value.trim() === '') return null;
  switch (field.type) {
    case 'boolean':
      return readBoolean(value);
    case 'date':
      return readDate(value);
    case 'datetime':
      return readMoment(value);
    case 'int':
      return readNumber(value, 0);
    case 'address':
      return NOT_OF_TYPE;
    default:
      return readNumber(value, field.scale);
  }
}

/** Returns true if the JSON type of the value matches the field. For a text field, the value must be a JSON string. */
export function isJsonOfType(field: Field, value: unknown): boolean {
  if (value === null) return true;
  if (typeof value === 'object') return false;
  if (isWord(field)) return typeof value === 'string';
  if (field.type === 'boolean' && typeof value === 'number') return false;
  return readValue(field, value) !== NOT_OF_TYPE;
}

/** Returns a value in the form that the REST API uses. */
export function showValue(field: Field, value: StoredValue): string | number | boolean | null {
  if (field.type === 'boolean') return value === 1;
  if (field.type === 'datetime' && typeof value === 'number') return showMoment(value);
  return value;
}

/** Formats a time like the REST API, for example `2026-11-20T02:00:00.000+0000`. */
export function showMoment(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '+0000');
}

/** Rounds a time down to the second, because the org's timestamps have no milliseconds. */
export function wholeSecond(atMs: number): number {
  return Math.floor(atMs / 1000) * 1000;
}

/** Parses an ISO time with a time zone and returns milliseconds since 1970. Returns undefined for any other text. */
export function parseMoment(text: string): number | undefined {
  const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i;
  if (!pattern.test(text) || !isDay(text.slice(0, 10))) return undefined;
  const atMs = Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** Returns true if the text is a valid ISO date. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const atMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
}

function isWord(field: Field): boolean {
  return isText(field) || field.type === 'id' || field.type === 'reference';
}

function readText(value: unknown): StoredValue | typeof NOT_OF_TYPE {
  if (typeof value === 'object') return NOT_OF_TYPE;
  const text = String(value).trim();
  return text === '' ? null : text;
}

function readBoolean(value: unknown): StoredValue | typeof NOT_OF_TYPE {
  const text = String(value).toLowerCase();
  if (text === 'true' || text === '1') return 1;
  return text === 'false' || text === '0' ? 0 : NOT_OF_TYPE;
}

function readDate(value: unknown): StoredValue | typeof NOT_OF_TYPE {
  return typeof value === 'string' && isDay(value) ? value : NOT_OF_TYPE;
}

function readMoment(value: unknown): StoredValue | typeof NOT_OF_TYPE {
  const atMs = typeof value === 'string' ? parseMoment(value) : undefined;
  return atMs === undefined ? NOT_OF_TYPE : wholeSecond(atMs);
}

function readNumber(value: unknown, scale: number): StoredValue | typeof NOT_OF_TYPE {
  const number = typeof value === 'boolean' ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) return NOT_OF_TYPE;
  return Number(number.toFixed(scale));
}
