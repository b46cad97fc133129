/** Checks and stores the values of properties, and returns messages for rejected values. */

import { z } from 'zod';
import { validationError } from '../core/errors.ts';
import type { ObjectType } from '../core/object-type.ts';
import type { Properties } from './properties.ts';
import { isReadOnly, type Property } from './property.ts';

/** The maximum number of characters in a value. */
const MAX_TEXT_LENGTH = 65_536;
const DAY_MS = 86_400_000;

/**
 * Values in the form in which clients send them. Numbers and booleans are converted to texts, and null is converted to
 * a blank text.
 */
export const inputValuesSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
);

/** Values in the form in which clients send them. */
export type InputValues = z.output<typeof inputValuesSchema>;

/** Stored values. An empty text means that the value was cleared. */
export type Values = Record<string, string>;

/** The reason why a value is rejected, with HubSpot's message. */
export interface ValueError {
  isValid: false;
  message: string;
  /** The error code, for example `INVALID_OPTION`. */
  error: string;
  name: string;
}

/** The accepted values in their stored form, and the errors about rejected values. */
export interface ReadValues {
  values: Values;
  errors: ValueError[];
}

/** Checks values. The properties of `type` determine which values are allowed. */
export function readValues(
  properties: Properties,
  type: ObjectType,
  input: InputValues,
): ReadValues {
  const values: Values = {};
  const errors: ValueError[] = [];
  for (const [name, raw] of Object.entries(input)) {
    const property = properties.find(type, name);
    const outcome = readValue(property, name, raw === null ? '' : String(raw));
    if ('error' in outcome) {
      errors.push({ isValid: false, ...outcome, name });
    } else {
      values[name] = outcome.value;
    }
  }
  return { values, errors };
}

/** Returns the 400 error with which HubSpot rejects a whole request because of some values. */
export function valuesError(errors: readonly ValueError[]) {
  const details = errors.map(({ message, error, name }) => ({
    message,
    code: error,
    context: { propertyName: [name] },
  }));
  return validationError(`Property values were not valid: ${JSON.stringify(errors)}`, {
    errors: details,
  });
}

/** A value, or the reason why it is rejected. */
type Outcome = { value: string } | { message: string; error: string };

function readValue(property: Property | undefined, name: string, text: string): Outcome {
  if (property === undefined || property.archivedAtMs !== null) {
    return { message: `Property "${name}" does not exist`, error: 'PROPERTY_DOESNT_EXIST' };
  }
  if (isReadOnly(property)) {
    const message = `"${name}" is a read only property; its value cannot be set.`;
    return { message, error: 'READ_ONLY_VALUE' };
  }
  if (text === '') return { value: '' };
  if (property.type !== 'string' && text !== text.trim()) {
    const message = `"${text}" includes leading or trailing whitespace.`;
    return { message, error: 'LEADING_TRAILING_WHITESPACE' };
  }
  return READERS[property.type](text, property);
}

const READERS: Record<Property['type'], (text: string, property: Property) => Outcome> = {
  string: readText,
  phone_number: readText,
  number: readNumber,
  date: readDate,
  datetime: readTime,
  bool: (text) => readOption(text, ['true', 'false']),
  enumeration: readEnumeration,
};

function readText(text: string, { name }: Property): Outcome {
  if (text.length > MAX_TEXT_LENGTH) {
    const message = `${name} is too long: at most ${MAX_TEXT_LENGTH} characters.`;
    return { message, error: 'PROPERTY_VALUE_TOO_LONG' };
  }
  if (name !== 'email') return { value: text };
  if (z.email().safeParse(text.trim()).success) return { value: text.trim().toLowerCase() };
  return { message: `Email address ${text} is invalid`, error: 'INVALID_EMAIL' };
}

function readNumber(text: string): Outcome {
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
  if (isNumber) return { value: text };
  // HubSpot uses this code for all numbers, not only for integers.
  return { message: `${text} was not a valid number.`, error: 'INVALID_INTEGER' };
}

function readDate(text: string): Outcome {
  const ms = /^-?\d+$/.test(text) ? Number(text) : dayOf(text);
  if (ms === null || !isTime(ms)) {
    return { message: `${text} was not a valid date.`, error: 'INVALID_DATE' };
  }
  const date = new Date(ms);
  if (ms % DAY_MS === 0) return { value: date.toISOString().slice(0, 10) };
  const [, time = ''] = date.toISOString().split('T');
  const message = `${text} is at ${time.replace('Z', '')} UTC, not midnight!`;
  return { message, error: 'INVALID_DATE' };
}

/** Returns the start of a day such as `2026-03-10`, or null if the day does not exist. */
function dayOf(text: string): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return isTime(ms) && new Date(ms).toISOString().startsWith(text) ? ms : null;
}

function readTime(text: string): Outcome {
  const ms = readMoment(text);
  if (ms !== null) return { value: new Date(ms).toISOString() };
  return { message: `${text} was not a valid long.`, error: 'INVALID_LONG' };
}

/**
 * Parses a time and returns it in milliseconds. The text contains milliseconds since 1970, or a time in ISO format.
 * Returns null for any other form.
 */
export function readMoment(text: string): number | null {
  if (/^-?\d+$/.test(text)) return isTime(Number(text)) ? Number(text) : null;
  const ms = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  return isTime(ms) ? ms : null;
}

function isTime(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime());
}

function readEnumeration(text: string, property: Property): Outcome {
  if (property.externalOptions) return { value: text };
  const allowed = property.options.map(({ value }) => value);
  if (property.fieldType !== 'checkbox') return readOption(text, allowed);
  const chosen = text.split(';').filter(Boolean);
  const wrong = chosen.map((value) => readOption(value, allowed)).find((one) => 'error' in one);
  return wrong ?? { value: chosen.join(';') };
}

function readOption(text: string, allowed: readonly string[]): Outcome {
  if (allowed.includes(text)) return { value: text };
  const message = `${text} was not one of the allowed options: [${allowed.join(', ')}]`;
  return { message, error: 'INVALID_OPTION' };
}
