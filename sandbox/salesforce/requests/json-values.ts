/**
 * Reads records in the JSON body of a request. If a value has the wrong JSON type, Salesforce rejects the whole
 * request.
 */

import { z } from 'zod';
import { SalesforceError } from '../core/errors.ts';
import type { Access, User } from '../metadata/access.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import { isJsonOfType } from '../metadata/value.ts';
import type { Values } from '../records/record-store.ts';

/** A record in JSON. A record in JSON contains values by field, and `attributes`. */
export const jsonRecordSchema = z.record(z.string(), z.unknown());

/** Parses JSON. Throws JSON_PARSER_ERROR if its structure is wrong. */
export function readJson<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new SalesforceError(400, 'JSON_PARSER_ERROR', z.prettifyError(result.error));
}

/**
 * Returns the values of a record without `attributes` and ID. Throws INVALID_FIELD for fields that the user cannot see.
 * Throws JSON_PARSER_ERROR for a JSON value that the field cannot store.
 */
export function readJsonValues(
  access: Access,
  user: User,
  type: ObjectType,
  record: Record<string, unknown>,
): Values {
  const entries = Object.entries(record).filter(
    ([name]) => name !== 'attributes' && name.toLowerCase() !== 'id',
  );
  for (const [name, value] of entries) {
    const field = findField(type, name);
    if (field === undefined || !access.canRead(user, type, field)) {
      const message = `No such column '${name}' on sobject of type ${type.name}`;
      throw new SalesforceError(400, 'INVALID_FIELD', message);
    }
    if (!isJsonOfType(field, value)) {
      throw new SalesforceError(400, 'JSON_PARSER_ERROR', cannotRead(field.type, value));
    }
  }
  return Object.fromEntries(entries);
}

function cannotRead(type: string, value: unknown): string {
  const [kind, shown] = kindOf(value);
  return `Cannot deserialize instance of ${type} from ${kind} value ${shown} or request may be missing a required field at [line:1, column:1]`;
}

/** Returns the name of a value's kind, and the value as text, as they appear in the JSON parser's message. */
function kindOf(value: unknown): [string, string] {
  if (Array.isArray(value)) return ['START_ARRAY', '['];
  if (typeof value === 'object') return ['START_OBJECT', '{'];
  if (typeof value === 'string') return ['VALUE_STRING', value];
  if (typeof value === 'boolean') return [`VALUE_${String(value).toUpperCase()}`, String(value)];
  return [Number.isInteger(value) ? 'VALUE_NUMBER_INT' : 'VALUE_NUMBER_FLOAT', String(value)];
}
