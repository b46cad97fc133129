/**
 * Builds the records in a query's response. The records contain the columns in SELECT, with nested parents and
 * children.
 */

import type { FieldSubquery, FieldType, FieldTypeOf } from '@jetstreamapp/soql-parser-js';
import { type Database, quoted } from '../../core/database.ts';
import type { Field, StoredValue } from '../../metadata/field.ts';
import type { ObjectType } from '../../metadata/object-type.ts';
import { showValue } from '../../metadata/value.ts';
import type { QueryContext } from './context.ts';
import { formatValue } from './format.ts';
import { malformed, noSuchRelationship, queryError } from './query-error.ts';
import { type Column, columnSql, openScope, type Scope } from './scope.ts';
import { expandFields, pathOf, type SelectList } from './select-list.ts';
import { selectSql } from './selection.ts';

/** A record in the form of the REST API. */
export interface SObjectRecord {
  attributes: { type: string; url?: string };
  [field: string]: unknown;
}

/** Returns records by their row IDs, in the given order. */
export interface Projection {
  records(rowIds: readonly number[]): SObjectRecord[];
  /** The columns of the SELECT, in order. The list contains only columns of the object itself and of its parents. */
  columns: readonly ProjectedColumn[];
}

/** A column in the SELECT of a query. */
export interface ProjectedColumn {
  /** The path of the column, for example `Account.Name`. */
  path: string;
  field: Field;
}

/** The additional parts of an org that are necessary to build records. */
export interface ProjectionOptions {
  db: Database;
  /** The path of the API version, for example `/services/data/v67.0`. The addresses of records start with it. */
  basePath: string;
}

/** Prepares the SELECT of a query. */
export function createProjection(
  context: QueryContext,
  type: ObjectType,
  query: SelectList & { sObjectAlias?: string },
  options: ProjectionOptions,
): Projection {
  const scope = openScope(context, type, 'r', query.sObjectAlias);
  const columns = createColumns();
  const root = createShape(scope, [], columns, options);
  const projected: ProjectedColumn[] = [];
  for (const field of expandFields(context, type, query)) {
    if (field.type === 'FieldSubquery') {
      root.add(childrenOf(context, scope, columns, field, options));
    } else if (field.type === 'FieldTypeof') {
      for (const path of typeofPaths(context, scope, field)) {
        projected.push(addColumn(context, scope, root, columns, { path }, options));
      }
    } else {
      const wanted = formatOf(field) ?? { path: pathOf(context, field) };
      projected.push(addColumn(context, scope, root, columns, wanted, options));
    }
  }
  const statement = options.db
    .prepare<[string], StoredValue[]>(
      `select ${columns.sql()} from json_each(?) j cross join ${quoted(type.name)} r
       on r.rowid = j.value${scope.joins()} order by j.key`,
    )
    .raw();
  return {
    columns: projected,
    records: (rowIds) => statement.all(JSON.stringify(rowIds)).map(root.read),
  };
}

interface Columns {
  /** Returns the position of an SQL expression. If the expression is new, it is added first. */
  numberOf(sql: string): number;
  sql(): string;
}

function createColumns(): Columns {
  const list: string[] = [];
  return {
    numberOf(sql) {
      const at = list.indexOf(sql);
      return at === -1 ? list.push(sql) - 1 : at;
    },
    sql: () => list.join(', '),
  };
}

/** A member of a record in the response. */
interface Item {
  name: string;
  read(row: StoredValue[]): unknown;
}

/** A record that is being built. The record belongs to the object itself or is a parent. */
interface Shape {
  add(item: Item): void;
  parent(name: string, create: () => Shape): Shape;
  read(row: StoredValue[]): SObjectRecord;
}

function createShape(
  scope: Scope,
  path: readonly string[],
  columns: Columns,
  { basePath }: ProjectionOptions,
): Shape {
  const { type, table } = scope.parent(path);
  const idAt = columns.numberOf(`${table}."Id"`);
  const items: Item[] = [];
  const parents = new Map<string, Shape>();

  function read(row: StoredValue[]): SObjectRecord {
    const url = `${basePath}/sobjects/${type.name}/${row[idAt]}`;
    const record: SObjectRecord = { attributes: { type: type.name, url } };
    for (const item of items) record[item.name] = item.read(row);
    return record;
  }

  return {
    add(item) {
      items.push(item);
    },
    parent(name, create) {
      const present = parents.get(name);
      if (present !== undefined) return present;
      const parentIdAt = columns.numberOf(`${scope.parent([...path, name]).table}."Id"`);
      const shape = create();
      parents.set(name, shape);
      items.push({ name, read: (row) => (row[parentIdAt] === null ? null : shape.read(row)) });
      return shape;
    },
    read,
  };
}

function addColumn(
  context: QueryContext,
  scope: Scope,
  root: Shape,
  columns: Columns,
  { path, formattedAs }: WantedColumn,
  options: ProjectionOptions,
): ProjectedColumn {
  const column = scope.column(path);
  const { field, parents } = column;
  let shape = root;
  for (const [index, name] of parents.entries()) {
    const upTo = parents.slice(0, index + 1);
    shape = shape.parent(name, () => createShape(scope, upTo, columns, options));
  }
  const read =
    field.type === 'address'
      ? addressReader(context, column, columns)
      : valueReader(field, columns.numberOf(column.sql), formattedAs !== undefined);
  const name = formattedAs === undefined || formattedAs === '' ? field.name : formattedAs;
  shape.add({ name, read });
  return { path: [...parents, name].join('.'), field };
}

/**
 * A column in the SELECT. If `formattedAs` is set, FORMAT() formats the column. `formattedAs` is the column's alias, or
 * an empty text.
 */
interface WantedColumn {
  path: string;
  formattedAs?: string;
}

function formatOf(field: Exclude<FieldType, FieldSubquery>): WantedColumn | undefined {
  if (field.type !== 'FieldFunctionExpression') return undefined;
  const [path] = field.parameters;
  const isFormat = field.functionName.toUpperCase() === 'FORMAT' && typeof path === 'string';
  return isFormat ? { path, formattedAs: field.alias ?? '' } : undefined;
}

/**
 * Returns the paths of the matching branch of TYPEOF. In this org, every reference leads to objects of a single type.
 */
function typeofPaths(context: QueryContext, scope: Scope, { field, conditions }: FieldTypeOf) {
  const link = scope.type.fields.find(
    ({ reference }) => reference?.relationship.toLowerCase() === field.toLowerCase(),
  );
  if (link?.reference?.others === undefined) {
    throw malformed(
      context.soql,
      `TYPEOF is not allowed on ${field}: it is not polymorphic`,
      field,
    );
  }
  const target = link.reference.to.toLowerCase();
  const branch =
    conditions.find(({ objectType }) => objectType?.toLowerCase() === target) ??
    conditions.find(({ type }) => type === 'ELSE');
  return (branch?.fieldList ?? ['Id']).map((name) => `${field}.${name}`);
}

function valueReader(field: Field, at: number, isFormatted: boolean) {
  return (row: StoredValue[]) =>
    isFormatted ? formatValue(field, row[at] ?? null) : showValue(field, row[at] ?? null);
}

function addressReader(
  { access, user }: QueryContext,
  { field, type, table }: Column,
  columns: Columns,
) {
  const parts = type.fields
    .filter((part) => part.compound === field.name && access.canRead(user, type, part))
    .map((part) => ({
      name: addressPart(part.name, field.name),
      at: columns.numberOf(columnSql(table, part)),
    }));
  return (row: StoredValue[]) => {
    const values = parts.map(({ name, at }) => [name, row[at] ?? null]);
    if (values.every(([, value]) => value === null)) return null;
    return { ...EMPTY_ADDRESS, ...Object.fromEntries(values) };
  };
}

const EMPTY_ADDRESS = {
  city: null,
  country: null,
  geocodeAccuracy: null,
  latitude: null,
  longitude: null,
  postalCode: null,
  state: null,
  street: null,
};

/** Returns the name of a part of an address, for example `postalCode` for `MailingPostalCode` of `MailingAddress`. */
function addressPart(part: string, compound: string): string {
  const name = part.slice(compound.length - 'Address'.length);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/**
 * Returns the child records of a record, for example for `(SELECT Id FROM Contacts)`. Returns null if there are none.
 */
function childrenOf(
  context: QueryContext,
  scope: Scope,
  columns: Columns,
  { subquery }: FieldSubquery,
  options: ProjectionOptions,
): Item {
  const { type, link, name } = findChildren(context, scope.type, subquery.relationshipName);
  const { text, values } = selectSql(context, type, subquery, {
    what: () => 't.rowid',
    within: `t.${quoted(link.name)} = ?`,
  });
  const idAt = columns.numberOf(`${scope.table}."Id"`);
  const statement = options.db.prepare<unknown[], number>(text).pluck();
  const projection = createProjection(context, type, subquery, options);
  return {
    name,
    read(row) {
      const rowIds = statement.all(row[idAt], ...values);
      if (rowIds.length === 0) return null;
      return { totalSize: rowIds.length, done: true, records: projection.records(rowIds) };
    },
  };
}

function findChildren(context: QueryContext, parent: ObjectType, relationship: string) {
  for (const type of context.catalogue.list()) {
    const link = type.fields.find(
      ({ reference }) =>
        reference?.to === parent.name &&
        reference.children?.toLowerCase() === relationship.toLowerCase(),
    );
    if (link?.reference?.children !== undefined)
      return { type, link, name: link.reference.children };
  }
  throw noSuchRelationship(context.soql, relationship);
}

/** Rejects a query that selects the same column twice. */
export function refuseDuplicates(context: QueryContext, columns: readonly ProjectedColumn[]): void {
  const paths = columns.map(({ path }) => path);
  const twice = columns.find(({ path }, index) => paths.indexOf(path) < index);
  if (twice === undefined) return;
  const { name } = twice.field;
  throw queryError(context.soql, 'INVALID_FIELD', `duplicate field selected: ${name}`, name);
}
