/** Records that are named by a field of their own instead of their id. */

import { SalesforceError } from '../core/errors.ts';
import { readId } from '../core/ids.ts';
import type { User } from '../metadata/access.ts';
import type { Field } from '../metadata/field.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import type { Org } from '../org/org.ts';
import { runQuery } from '../query/query.ts';

/** The field by which records can be named; NOT_FOUND for one that does not identify them. */
export function identifyingField(type: ObjectType, name: string): Field {
  const field = findField(type, name);
  if (field !== undefined && (field.externalId || field.type === 'id')) return field;
  const message = `Provided external ID field does not exist or is not accessible: ${name}`;
  throw new SalesforceError(404, 'NOT_FOUND', message);
}

/** The id of the record with this value; undefined if there is none. */
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
  const soql = `SELECT Id FROM ${type.name} WHERE ${field.name} = '${literal}' LIMIT 1`;
  const [found] = runQuery(org, soql, user, { basePath: '' }).records(0, 1);
  return found === undefined ? undefined : String(found['Id']);
}
