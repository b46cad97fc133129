/** Finds records that are identified by the value of a field. The value is used in the place of the ID. */

import { SalesforceError } from '../core/errors.ts';
import { readId } from '../core/ids.ts';
import type { User } from '../metadata/access.ts';
import type { Field } from '../metadata/field.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import type { Org } from '../org/org.ts';
import { runQuery } from '../query/query.ts';

/** Returns a field that identifies records. Throws NOT_FOUND if the field does not identify them. */
export function identifyingField(type: ObjectType, name: string): Field {
  const field = findField(type, name);
  if (field !== undefined && (field.externalId || field.type === 'id')) return field;
  const message = `Provided external ID field does not exist or is not accessible: ${name}`;
  throw new SalesforceError(404, 'NOT_FOUND', message);
}

/** The error for a value that identifies several records. */
export class AmbiguousKeyError extends Error {
  override readonly name = 'AmbiguousKeyError';
  /** The object and the IDs of these records. */
  readonly typeName: string;
  readonly ids: readonly string[];

  constructor(typeName: string, ids: readonly string[]) {
    super('Several records have this value.');
    this.typeName = typeName;
    this.ids = ids;
  }
}

/**
 * Returns the ID of the record with this value, or undefined if no record has the value. Throws an AmbiguousKeyError if
 * several records have the value.
 */
export function findByField(
  org: Org,
  user: User,
  type: ObjectType,
  field: Field,
  value: unknown,
): string | undefined {
  const text = String(value ?? '');
  if (field.type === 'id') return org.store.read(type, readId(text) ?? '')?.['Id']?.toString();
  const literal = text.replaceAll(/['\\]/g, '\\$&');
  const soql = `SELECT Id FROM ${type.name} WHERE ${field.name} = '${literal}' ORDER BY Id LIMIT 3`;
  const found = runQuery(org, soql, user, { basePath: '' }).records(0, 3);
  const ids = found.map((record) => String(record['Id']));
  if (ids.length > 1) throw new AmbiguousKeyError(type.name, ids);
  return ids[0];
}
