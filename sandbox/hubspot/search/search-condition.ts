/** Converts the conditions of a search to SQL conditions on the columns of a record table. */

import { unexplainedError } from '../core/errors.ts';
import type { ObjectType } from '../core/object-type.ts';
import type { Properties } from '../properties/properties.ts';
import type { Property } from '../properties/property.ts';
import { readMoment } from '../properties/property-values.ts';
import { type SearchFilter, searchError } from './search-request.ts';

/** A part of an SQL statement with its values. */
export interface Condition {
  sql: string;
  values: (string | number)[];
}

/** The smallest time and the smallest ID that a result can have, which an index can use. */
export interface Bounds {
  modifiedAtMs: number | null;
  id: number | null;
  email: string | null;
}

/** The SQL for a property's value, and a function that converts a value for the comparison. */
interface Operand {
  /** The SQL for the property's value. The value is null if the record has none. */
  sql: string;
  toValue(text: string): string | number;
}

/** The objects that are needed to build conditions. */
export interface Vocabulary {
  type: ObjectType;
  properties: Properties;
}

/**
 * Returns the SQL condition for all groups of a search. A record must meet the conditions of at least one group. The
 * SQL prevents SQLite from using an index for these columns.
 */
export function groupsCondition(
  vocabulary: Vocabulary,
  groups: readonly (readonly SearchFilter[])[],
): Condition {
  if (groups.length === 0) return { sql: 'true', values: [] };
  return join(
    groups.map((filters) =>
      join(
        filters.map((filter) => filterCondition(vocabulary, filter)),
        'and',
      ),
    ),
    'or',
  );
}

/** Returns the limits that all groups have in common, and that an index can use. */
export function boundsOf(
  { type }: Vocabulary,
  groups: readonly (readonly SearchFilter[])[],
): Bounds {
  const least = (name: string) => {
    const bounds = groups.map((filters) => leastValue(filters, name));
    const known = bounds.filter((bound) => bound !== null);
    return known.length === 0 || known.length < bounds.length ? null : Math.min(...known);
  };
  const [first = []] = groups;
  const email = first.find(
    ({ propertyName, operator }) => propertyName === 'email' && operator === 'EQ',
  );
  return {
    modifiedAtMs: least(type.modifiedProperty),
    id: least('hs_object_id'),
    email: groups.length === 1 ? (email?.value?.toLowerCase() ?? null) : null,
  };
}

/** Returns the SQL for a property's value, by which results are sorted. */
export function sortExpression({ type, properties }: Vocabulary, name: string): string {
  return operandOf(type, findProperty(type, properties, name)).sql;
}

function leastValue(filters: readonly SearchFilter[], name: string): number | null {
  const lower = filters.flatMap(({ propertyName, operator, value, values = [] }) => {
    if (propertyName !== name) return [];
    if (['EQ', 'GT', 'GTE', 'BETWEEN'].includes(operator)) return [readMoment(value ?? '')];
    return operator === 'IN' ? [Math.min(...values.map(Number))] : [];
  });
  const known = lower.filter((bound) => bound !== null && !Number.isNaN(bound));
  return known.length === 0 ? null : Math.max(...known.map(Number));
}

function filterCondition({ type, properties }: Vocabulary, filter: SearchFilter): Condition {
  const operand = operandOf(type, findProperty(type, properties, filter.propertyName));
  const { sql } = operand;
  const value = filter.value ?? '';
  const values = filter.values ?? [];
  const marks = values.map(() => '?').join(', ');
  const one = () => [operand.toValue(value)];
  const many = () => values.map((item) => operand.toValue(item));
  switch (filter.operator) {
    case 'EQ':
      return { sql: `${sql} = ?`, values: one() };
    case 'NEQ':
      return { sql: `${sql} <> ?`, values: one() };
    case 'LT':
      return { sql: `${sql} < ?`, values: one() };
    case 'LTE':
      return { sql: `${sql} <= ?`, values: one() };
    case 'GT':
      return { sql: `${sql} > ?`, values: one() };
    case 'GTE':
      return { sql: `${sql} >= ?`, values: one() };
    case 'BETWEEN':
      return {
        sql: `${sql} between ? and ?`,
        values: [...one(), operand.toValue(filter.highValue ?? '')],
      };
    case 'IN':
      return { sql: `${sql} in (${marks})`, values: many() };
    case 'NOT_IN':
      return { sql: `${sql} not in (${marks})`, values: many() };
    case 'HAS_PROPERTY':
      return { sql: `${sql} is not null`, values: [] };
    case 'NOT_HAS_PROPERTY':
      return { sql: `${sql} is null`, values: [] };
    case 'CONTAINS_TOKEN':
      return { sql: `contains_token(${sql}, ?)`, values: [value] };
    case 'NOT_CONTAINS_TOKEN':
      return { sql: `not contains_token(${sql}, ?)`, values: [value] };
  }
}

function findProperty(type: ObjectType, properties: Properties, name: string): Property {
  const property = properties.find(type, name);
  if (property !== undefined && property.archivedAtMs === null) return property;
  throw unexplainedError();
}

function operandOf(type: ObjectType, property: Property): Operand {
  switch (property.name) {
    case 'hs_object_id':
      return { sql: '+id', toValue: toNumber };
    case 'createdate':
      return { sql: '+created_at_ms', toValue: toMoment };
    case type.modifiedProperty:
      return { sql: '+modified_at_ms', toValue: toMoment };
    default:
      return storedOperand(property);
  }
}

function storedOperand({ name, type }: Property): Operand {
  // Names consist of letters, digits and underscores. The account has checked the name when the property was created.
  const value = `nullif(json_extract(properties, '$."${name}"'), '')`;
  switch (type) {
    case 'number':
      return { sql: `cast(${value} as real)`, toValue: toNumber };
    case 'date':
      return { sql: value, toValue: (text) => toIso(text).slice(0, 10) };
    case 'datetime':
      return { sql: value, toValue: toIso };
    default:
      return { sql: `lower(${value})`, toValue: (text) => text.toLowerCase() };
  }
}

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && !Number.isNaN(number)) return number;
  throw searchError(`"${text}" is no number.`, 'INVALID_INTEGER');
}

function toMoment(text: string): number {
  const ms = readMoment(text);
  if (ms !== null) return ms;
  throw searchError(`"${text}" is no time.`, 'INVALID_LONG');
}

function toIso(text: string): string {
  return new Date(toMoment(text)).toISOString();
}

function join(conditions: readonly Condition[], word: 'and' | 'or'): Condition {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(` ${word} `)})`,
    values: conditions.flatMap(({ values }) => values),
  };
}
