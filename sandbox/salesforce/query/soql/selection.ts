/**
 * Finds the records of a query, in the right order. The clauses FROM, WHERE, ORDER BY, LIMIT and OFFSET determine them.
 */

import type {
  FunctionExp,
  HavingClause,
  OrderByClause,
  QueryBase,
  WhereClause,
} from '@jetstreamapp/soql-parser-js';
import { quoted } from '../../core/database.ts';
import { SalesforceError } from '../../core/errors.ts';
import type { ObjectType } from '../../metadata/object-type.ts';
import { compareColumn, negate } from './compare.ts';
import { type Comparison, type Condition, readCondition } from './condition.ts';
import type { QueryContext } from './context.ts';
import { dateFunctionColumn } from './date-function.ts';
import { malformed } from './query-error.ts';
import { type Column, openScope, type Scope } from './scope.ts';
import { joinSql, plainSql, type Sql } from './sql.ts';
import { stampFloor } from './stamp-floor.ts';

const MAX_OFFSET = 2000;

/** The options of a selection, in addition to the query. */
export interface SelectOptions {
  what: (scope: Scope) => string;
  within?: string;
  groupBy?: (scope: Scope) => string;
  /** Finds the column of a function in ORDER BY and HAVING. By default, only date functions are found. */
  functionColumn?: FunctionColumn;
}

/** Finds the column of a function. */
export type FunctionColumn = (scope: Scope, fn: FunctionExp) => Column;

/**
 * Returns SQL that selects `what` from the found records, for example their row IDs. `within` is an additional SQL
 * condition on the object's table `t`.
 */
export function selectSql(
  context: QueryContext,
  type: ObjectType,
  query: QueryBase,
  options: SelectOptions,
): Sql {
  const scope = openScope(context, type, 't', query.sObjectAlias);
  const what = options.what(scope);
  const where = whereSql(context, scope, query.where, options.within);
  const groupBy = options.groupBy?.(scope) ?? '';
  const columnOf: FunctionColumn =
    options.functionColumn ?? ((inScope, fn) => dateFunctionColumn(context, inScope, fn));
  const having = havingSql(context, scope, query.having, columnOf);
  const order = orderSql(scope, query.orderBy, columnOf);
  const { text } = where;
  const values = [...where.values, ...having.values];
  const from = `from ${quoted(type.name)} t${scope.joins()}`;
  const end = `${groupBy}${having.text}${order}${pageSql(query)}`;
  return { text: `select ${what} ${from} where ${text}${end}`, values };
}

function whereSql(
  context: QueryContext,
  scope: Scope,
  where: WhereClause | undefined,
  within: string | undefined,
): Sql {
  const conditions: Sql[] = context.all
    ? [plainSql('1')]
    : [plainSql(`${scope.table}."IsDeleted" = 0`)];
  const shared = context.access.sharedSql(context.user, `${scope.table}."Id"`);
  if (shared !== null) conditions.push(plainSql(shared));
  if (within !== undefined) conditions.push(plainSql(within));
  if (where !== undefined) {
    const condition = readCondition(where, context.soql);
    conditions.push(conditionSql(context, scope, condition));
    const floor = stampFloor(condition);
    if (floor !== undefined) {
      conditions.push({ text: `${scope.table}."SystemModstamp" >= ?`, values: [floor] });
    }
  }
  return joinSql(conditions, ' and ');
}

function havingSql(
  context: QueryContext,
  scope: Scope,
  having: HavingClause | undefined,
  columnOf: FunctionColumn,
): Sql {
  if (having === undefined) return plainSql('');
  const condition = readCondition(having, context.soql);
  const { text, values } = conditionSql(context, scope, condition, columnOf);
  return { text: ` having ${text}`, values };
}

function conditionSql(
  context: QueryContext,
  scope: Scope,
  condition: Condition,
  columnOf?: FunctionColumn,
): Sql {
  switch (condition.kind) {
    case 'compare':
      return comparisonSql(context, scope, condition.comparison, columnOf);
    case 'not':
      return negate(conditionSql(context, scope, condition.part, columnOf));
    default: {
      const parts = condition.parts.map((part) => conditionSql(context, scope, part, columnOf));
      return joinSql(parts, condition.kind === 'all' ? ' and ' : ' or ');
    }
  }
}

function comparisonSql(
  context: QueryContext,
  scope: Scope,
  comparison: Comparison,
  columnOf: FunctionColumn = (inScope, fn) => dateFunctionColumn(context, inScope, fn),
): Sql {
  if ('fn' in comparison) {
    return compareColumn(context, columnOf(scope, comparison.fn), comparison);
  }
  const column = scope.column(comparison.field);
  if (!('valueQuery' in comparison)) return compareColumn(context, column, comparison);
  const { valueQuery, operator } = comparison;
  const inner = context.catalogue.get(valueQuery.sObject ?? '');
  const [only] = valueQuery.fields ?? [];
  if (only?.type !== 'Field' || valueQuery.fields?.length !== 1) {
    throw malformed(context.soql, 'The inner select must have exactly one field', 'SELECT');
  }
  const { text, values } = selectSql(context, inner, valueQuery, {
    what: (scope) => scope.column(only.field).sql,
  });
  const isIn: Sql = { text: `${column.sql} in (${text})`, values };
  return operator === 'NOT IN' ? negate(isIn) : isIn;
}

function orderSql(
  scope: Scope,
  orderBy: OrderByClause | OrderByClause[] | undefined,
  columnOf: FunctionColumn,
): string {
  const parts = [orderBy ?? []].flat().map((clause) => {
    const { sql, field } = 'fn' in clause ? columnOf(scope, clause.fn) : scope.column(clause.field);
    // In both directions, blanks come first. If a field is never blank, this clause would only prevent SQLite from
    // using the index.
    const nulls = field.required || field.type === 'id' ? '' : ` nulls ${clause.nulls ?? 'FIRST'}`;
    return `${sql} ${clause.order ?? 'ASC'}${nulls}`;
  });
  return parts.length === 0 ? '' : ` order by ${parts.join(', ')}`;
}

function pageSql({ limit, offset }: QueryBase): string {
  if (offset !== undefined && offset > MAX_OFFSET) {
    throw new SalesforceError(
      400,
      'NUMBER_OUTSIDE_VALID_RANGE',
      `Maximum SOQL offset allowed is ${MAX_OFFSET}`,
    );
  }
  // SQLite requires a LIMIT if there is an OFFSET. The value -1 means no limit.
  return limit === undefined && offset === undefined
    ? ''
    : ` limit ${limit ?? -1} offset ${offset ?? 0}`;
}
