/** Queries that count and aggregate records. Queries that count or aggregate do not return the records themselves. */

import type {
  FieldFunctionExpression,
  FieldType,
  FunctionExp,
  Query,
} from '@jetstreamapp/soql-parser-js';
import type { Database } from '../../core/database.ts';
import { defineField, type StoredValue } from '../../metadata/field.ts';
import type { ObjectType } from '../../metadata/object-type.ts';
import { showValue } from '../../metadata/value.ts';
import type { QueryContext } from './context.ts';
import { dateFunctionColumn, isDateFunction } from './date-function.ts';
import type { SObjectRecord } from './projection.ts';
import { malformed } from './query-error.ts';
import type { Column, Scope } from './scope.ts';
import { selectSql } from './selection.ts';

const FUNCTIONS: Partial<Record<string, string>> = {
  COUNT: 'count(%)',
  COUNT_DISTINCT: 'count(distinct %)',
  SUM: 'sum(%)',
  AVG: 'avg(%)',
  MIN: 'min(%)',
  MAX: 'max(%)',
};

/**
 * Returns true if the query consists only of `SELECT COUNT()`. The response to such a query contains a total but no
 * records.
 */
export function isCount({ fields }: Query): boolean {
  const [only] = fields ?? [];
  return (
    fields?.length === 1 &&
    only?.type === 'FieldFunctionExpression' &&
    only.rawValue?.replaceAll(/\s/g, '').toUpperCase() === 'COUNT()'
  );
}

export function isAggregate({ fields, groupBy }: Query): boolean {
  return groupBy !== undefined || (fields ?? []).some(isFunction);
}

/** Returns one record for each group. Expressions without an alias get the names `expr0`, `expr1` and so on. */
export function aggregateRecords(
  context: QueryContext,
  db: Database,
  type: ObjectType,
  query: Query,
): SObjectRecord[] {
  const groups = readGroups(context, query);
  if (query.having !== undefined && groups.keys.length === 0) {
    throw malformed(context.soql, "unexpected token: 'HAVING'", 'HAVING');
  }
  const isOfSets = groups.sets.length > 1;
  if (isOfSets && (query.orderBy !== undefined || query.offset !== undefined)) {
    const token = query.orderBy === undefined ? 'OFFSET' : 'ORDER';
    throw malformed(context.soql, `${token} is not available with ROLLUP and CUBE here`, token);
  }
  const records = groups.sets.flatMap((set) => recordsOfSet(context, db, type, query, groups, set));
  return query.limit === undefined ? records : records.slice(0, query.limit);
}

/** Returns the records for one combination of groups. Groups outside the combination are blank. */
function recordsOfSet(
  context: QueryContext,
  db: Database,
  type: ObjectType,
  query: Query,
  groups: Groups,
  set: readonly string[],
): SObjectRecord[] {
  const items: Item[] = [];
  const { text, values } = selectSql(context, type, query, {
    what(scope) {
      items.push(...readItems(context, scope, query.fields ?? [], groups, set));
      return items.map(({ sql }) => sql).join(', ');
    },
    groupBy: (scope) =>
      set.length === 0
        ? ''
        : ` group by ${set.map((key) => groups.columnOf(scope, key).sql).join(', ')}`,
    functionColumn: (scope, fn) => functionColumn(context, scope, fn, groups),
  });
  const rows = db
    .prepare<unknown[], StoredValue[]>(text)
    .raw()
    .all(...values);
  return rows.map((row) => ({
    attributes: { type: 'AggregateResult' },
    ...Object.fromEntries(items.map(({ name, show }, at) => [name, show(row[at] ?? null)])),
  }));
}

interface Groups {
  /** The text of the query that names the group. */
  keys: readonly string[];
  /** The combinations of groups. With ROLLUP and CUBE, there are several. */
  sets: readonly (readonly string[])[];
  columnOf(scope: Scope, key: string): Column;
}

function readGroups(context: QueryContext, query: Query): Groups {
  const functions = new Map<string, FunctionExp>();
  const paths = new Map<string, string>();
  let sets: string[][] = [[]];
  const addPath = (path: string) => {
    paths.set(path.toLowerCase(), path);
    return path.toLowerCase();
  };
  for (const clause of [query.groupBy ?? []].flat()) {
    let choices: string[][];
    if ('field' in clause) {
      choices = [[addPath(clause.field)]];
    } else if (/^(?:ROLLUP|CUBE)$/i.test(clause.fn.functionName ?? '')) {
      const parts = (clause.fn.parameters ?? []).map((part) =>
        typeof part === 'string' ? addPath(part) : addFunction(part),
      );
      const isCube = clause.fn.functionName?.toUpperCase() === 'CUBE';
      choices = isCube ? subsetsOf(parts) : parts.map((_, at) => parts.slice(0, at + 1)).reverse();
      if (!isCube) choices.push([]);
    } else {
      choices = [[addFunction(clause.fn)]];
    }
    sets = sets.flatMap((set) => choices.map((choice) => [...set, ...choice]));
  }

  function addFunction(fn: FunctionExp): string {
    const key = functionKey(fn);
    if (!isDateFunction(fn.functionName)) {
      const token = fn.functionName ?? '';
      throw malformed(context.soql, `unexpected token: '${token}'`, token);
    }
    functions.set(key, fn);
    return key;
  }

  return {
    keys: [...paths.keys(), ...functions.keys()],
    sets,
    columnOf(scope, key) {
      const fn = functions.get(key);
      return fn === undefined
        ? scope.column(paths.get(key) ?? key)
        : dateFunctionColumn(context, scope, fn);
    },
  };
}

/** Returns all subsets of the groups, largest first. */
function subsetsOf(parts: readonly string[]): string[][] {
  const [first, ...rest] = parts;
  if (first === undefined) return [[]];
  const without = subsetsOf(rest);
  return [...without.map((set) => [first, ...set]), ...without];
}

function functionKey({ functionName = '', parameters = [] }: FunctionExp): string {
  const inside = parameters.map((one) => (typeof one === 'string' ? one : functionKey(one)));
  return `${functionName}(${inside.join(',')})`.toLowerCase();
}

/** Returns the column for a function in HAVING or ORDER BY. The column is an aggregate or a group. */
function functionColumn(
  context: QueryContext,
  scope: Scope,
  fn: FunctionExp,
  groups: Groups,
): Column {
  const key = functionKey(fn);
  if (groups.keys.includes(key)) return groups.columnOf(scope, key);
  const [parameter] = fn.parameters ?? [];
  const { functionName = '' } = fn;
  const pattern = FUNCTIONS[functionName.toUpperCase()];
  if (pattern === undefined || (parameter !== undefined && typeof parameter !== 'string')) {
    throw malformed(context.soql, `unexpected token: '${functionName}'`, functionName);
  }
  return summedColumn(scope, functionName, parameter);
}

function summedColumn(scope: Scope, functionName: string, parameter: string | undefined): Column {
  const column = parameter === undefined || parameter === '' ? undefined : scope.column(parameter);
  const pattern = FUNCTIONS[functionName.toUpperCase()] ?? '%';
  const isValue = /^(?:MIN|MAX)$/i.test(functionName) && column !== undefined;
  return {
    type: scope.type,
    table: scope.table,
    parents: [],
    ...column,
    field: isValue ? column.field : NUMBER,
    sql: pattern.replace('%', column?.sql ?? '*'),
  };
}

interface Item {
  name: string;
  sql: string;
  show(value: StoredValue): unknown;
}

function readItems(
  context: QueryContext,
  scope: Scope,
  fields: readonly FieldType[],
  groups: Groups,
  set: readonly string[],
): Item[] {
  let unnamed = 0;
  return fields.map((field) => {
    if (field.type === 'FieldFunctionExpression') {
      const name = field.alias ?? `expr${unnamed++}`;
      return functionItem(context, scope, field, name, { groups, set });
    }
    const path = plainPath(context, field);
    const key = path.toLowerCase();
    if (!groups.keys.includes(key)) {
      throw malformed(context.soql, `Field must be grouped or aggregated: ${path}`, path);
    }
    const column = scope.column(path);
    return set.includes(key)
      ? columnItem(column, aliasOf(field))
      : blankItem(aliasOf(field) ?? column.field.name);
  });
}

function functionItem(
  context: QueryContext,
  scope: Scope,
  field: FieldFunctionExpression,
  name: string,
  { groups, set }: { groups: Groups; set: readonly string[] },
): Item {
  const key = functionKey(field);
  if (groups.keys.includes(key)) {
    return set.includes(key) ? columnItem(groups.columnOf(scope, key), name) : blankItem(name);
  }
  const [parameter] = field.parameters;
  const text = typeof parameter === 'string' ? parameter : undefined;
  if (field.functionName.toUpperCase() === 'GROUPING' && text !== undefined) {
    const grouping = set.includes(text.toLowerCase()) ? 0 : 1;
    if (groups.keys.includes(text.toLowerCase())) {
      return { name, sql: `${grouping}`, show: (value) => value };
    }
  }
  if (FUNCTIONS[field.functionName.toUpperCase()] === undefined || typeof parameter === 'object') {
    throw malformed(context.soql, `unexpected token: '${field.functionName}'`, field.functionName);
  }
  const column = summedColumn(scope, field.functionName, text);
  return { name, sql: column.sql, show: (value) => showValue(column.field, value) };
}

function blankItem(name: string): Item {
  return { name, sql: 'null', show: () => null };
}

const NUMBER = defineField('expr', 'expr', 'double');

function columnItem({ field, sql }: Column, alias: string | undefined): Item {
  return { name: alias ?? field.name, sql, show: (value) => showValue(field, value) };
}

function isFunction(field: FieldType): field is FieldFunctionExpression {
  return field.type === 'FieldFunctionExpression' && field.functionName.toUpperCase() in FUNCTIONS;
}

function plainPath(context: QueryContext, field: FieldType): string {
  if (field.type === 'Field') return field.field;
  if (field.type === 'FieldRelationship') return [...field.relationships, field.field].join('.');
  throw malformed(context.soql, 'Only fields and functions can be grouped', 'SELECT');
}

function aliasOf(field: FieldType): string | undefined {
  return 'alias' in field ? field.alias : undefined;
}
