/** Queries that count and sum up instead of showing records. */

import type {
  FieldFunctionExpression,
  FieldType,
  GroupByClause,
  Query,
} from '@jetstreamapp/soql-parser-js';
import type { Database } from '../../core/database.ts';
import { defineField, type StoredValue } from '../../metadata/field.ts';
import type { ObjectType } from '../../metadata/object-type.ts';
import { showValue } from '../../metadata/value.ts';
import type { QueryContext } from './context.ts';
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

/** Whether the query is only `SELECT COUNT()`, whose answer is a total without records. */
export function isCount({ fields }: Query): boolean {
  const [only] = fields ?? [];
  return (
    fields?.length === 1 &&
    only?.type === 'FieldFunctionExpression' &&
    only.rawValue?.replaceAll(/\s/g, '').toUpperCase() === 'COUNT()'
  );
}

/** Whether the query sums up. */
export function isAggregate({ fields, groupBy }: Query): boolean {
  return groupBy !== undefined || (fields ?? []).some(isFunction);
}

/** One record for each group, with `expr0`, `expr1`… for what has no name. */
export function aggregateRecords(
  context: QueryContext,
  db: Database,
  type: ObjectType,
  query: Query,
): SObjectRecord[] {
  if (query.having !== undefined)
    throw malformed(context.soql, "unexpected token: 'HAVING'", 'HAVING');
  const groups = [query.groupBy ?? []].flat().map((clause) => groupPath(context, clause));
  const items: Item[] = [];
  const { text, values } = selectSql(context, type, query, {
    what(scope) {
      items.push(...readItems(context, scope, query.fields ?? [], groups));
      return items.map(({ sql }) => sql).join(', ');
    },
    groupBy: (scope) =>
      groups.length === 0
        ? ''
        : ` group by ${groups.map((path) => scope.column(path).sql).join(', ')}`,
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

interface Item {
  name: string;
  sql: string;
  show(value: StoredValue): unknown;
}

function readItems(
  context: QueryContext,
  scope: Scope,
  fields: readonly FieldType[],
  groups: readonly string[],
): Item[] {
  let unnamed = 0;
  return fields.map((field) => {
    if (isFunction(field)) {
      const name = field.alias ?? `expr${unnamed++}`;
      return functionItem(context, scope, field, name);
    }
    const path = plainPath(context, field);
    if (!groups.some((group) => group.toLowerCase() === path.toLowerCase())) {
      throw malformed(context.soql, `Field must be grouped or aggregated: ${path}`, path);
    }
    return columnItem(scope.column(path), aliasOf(field));
  });
}

function functionItem(
  context: QueryContext,
  scope: Scope,
  field: FieldFunctionExpression,
  name: string,
): Item {
  const pattern = FUNCTIONS[field.functionName.toUpperCase()];
  if (pattern === undefined) {
    throw malformed(context.soql, `unexpected token: '${field.functionName}'`, field.functionName);
  }
  const [parameter] = field.parameters;
  const column = parameter === undefined ? undefined : scope.column(String(parameter));
  const sql = pattern.replace('%', column?.sql ?? '*');
  const isValue = /^(?:MIN|MAX)$/i.test(field.functionName) && column !== undefined;
  const shown = isValue ? column.field : NUMBER;
  return { name, sql, show: (value) => showValue(shown, value) };
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

function groupPath(context: QueryContext, clause: GroupByClause): string {
  if ('field' in clause) return clause.field;
  const token = clause.fn.functionName ?? '';
  throw malformed(context.soql, `unexpected token: '${token}'`, token);
}
