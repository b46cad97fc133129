/** The reasons why the org rejects a value, with Salesforce's messages. */

import { type RecordError, recordError } from '../core/errors.ts';
import { type Field, isNumeric, isText, type StoredValue } from '../metadata/field.ts';
import type { ObjectType } from '../metadata/object-type.ts';

/** Checks a value that has the right type. Returns an error, or undefined if the value is allowed. */
export function checkValue(field: Field, value: StoredValue): RecordError | undefined {
  if (value === null) return undefined;
  if (isText(field)) return checkText(field, String(value));
  return isNumeric(field) ? checkNumber(field, Number(value)) : undefined;
}

/** Creates the error for a value with the wrong type. A wrong JSON type has already been refused earlier. */
export function wrongType(field: Field, value: unknown): RecordError {
  const message = `${field.label}: value not of required type: ${String(value)}`;
  return recordError('INVALID_TYPE_ON_FIELD_IN_RECORD', message, [field.name]);
}

/** Creates the error for required fields without a value. */
export function missingFields(names: readonly string[]): RecordError {
  const message = `Required fields are missing: [${names.join(', ')}]`;
  return recordError('REQUIRED_FIELD_MISSING', message, [...names]);
}

/** Creates the error for fields that the user cannot change. */
export function notEditable(names: readonly string[]): RecordError {
  const message = `Unable to create/update fields: ${names.join(', ')}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.`;
  return recordError('INVALID_FIELD_FOR_INSERT_UPDATE', message, [...names]);
}

/** Creates the error for a field that does not exist or that the user cannot see. */
export function noSuchField(type: ObjectType, name: string): RecordError {
  return recordError('INVALID_FIELD', `No such column '${name}' on sobject of type ${type.name}`);
}

function checkText(field: Field, value: string): RecordError | undefined {
  if (field.length > 0 && value.length > field.length) {
    const message = `${field.label}: data value too large: ${value} (max length=${field.length})`;
    return recordError('STRING_TOO_LONG', message, [field.name]);
  }
  if (field.type === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/.test(value)) {
    const message = `${field.label}: invalid email address: ${value}`;
    return recordError('INVALID_EMAIL_ADDRESS', message, [field.name]);
  }
  return field.restricted ? checkChoice(field, value) : undefined;
}

function checkChoice(field: Field, value: string): RecordError | undefined {
  const choices = field.type === 'multipicklist' ? value.split(';') : [value];
  const unknown = choices.find((choice) => !field.picklist.includes(choice.trim()));
  if (unknown === undefined) return undefined;
  const message = `${field.label}: bad value for restricted picklist field: ${unknown}`;
  return recordError('INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', message, [field.name]);
}

function checkNumber(field: Field, value: number): RecordError | undefined {
  const digits = field.precision - field.scale;
  if (digits <= 0 || Math.abs(value) < 10 ** digits) return undefined;
  const message = `${field.label}: value outside of valid range on numeric field: ${value}`;
  return recordError('NUMBER_OUTSIDE_VALID_RANGE', message, [field.name]);
}
