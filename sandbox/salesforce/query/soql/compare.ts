/**
 * Converts comparisons to SQL. SOQL has only two truth values. In SOQL, a blank differs from every value, so `!=` and
 * NOT IN find blanks.
 */

import type { LiteralType, Operator } from '@jetstreamapp/soql-parser-js';
import type { StoredValue } from '../../metadata/field.ts';
import type { QueryContext } from './context.ts';
import type { Span } from './date-literal.ts';
import { readLiteral, readQuoted } from './literal.ts';
import { malformed, queryError } from './query-error.ts';
import type { Column } from './scope.ts';
import { joinSql, plainSql, type Sql } from './sql.ts';

/** A comparison of a column with literals. */
export interface LiteralComparison {
  operator: Operator;
  value: string | string[];
  literalType?: LiteralType | LiteralType[] | undefined;
}

/** Returns the SQL of a comparison. */
export function compareColumn(
  context: QueryContext,
  column: Column,
  comparison: LiteralComparison,
): Sql {
  const { operator } = comparison;
  if (column.field.type === 'textarea' && column.field.length > 255)
    throw cannotFilter(context, column);
  switch (operator) {
    case 'IN':
    case 'NOT IN':
      return compareList(context, column, comparison);
    case 'LIKE':
      return compareLike(context, column, comparison);
    case 'INCLUDES':
    case 'EXCLUDES':
      return compareParts(context, column, comparison);
    default:
      return compareOne(context, column, operator, comparison);
  }
}

function compareOne(
  context: QueryContext,
  column: Column,
  operator: '=' | '!=' | '<' | '<=' | '>' | '>=',
  { value, literalType }: LiteralComparison,
): Sql {
  const type = Array.isArray(literalType) ? literalType[0] : literalType;
  const literal = readLiteral(context, column.field, String(value), type);
  return literal.kind === 'span'
    ? compareSpan(column, operator, literal.span)
    : compareValue(column, operator, literal.value);
}

function compareValue({ sql }: Column, operator: string, value: StoredValue): Sql {
  if (value === null) {
    if (operator === '=') return plainSql(`${sql} is null`);
    return plainSql(operator === '!=' ? `${sql} is not null` : '0');
  }
  if (operator === '!=') return { text: `(${sql} <> ? or ${sql} is null)`, values: [value] };
  return { text: `${sql} ${operator} ?`, values: [value] };
}

function compareSpan({ sql, field }: Column, operator: string, span: Span): Sql {
  const [from, to] = [span.fromMs, span.toMs].map((atMs) =>
    field.type === 'date' ? new Date(atMs).toISOString().slice(0, 10) : atMs,
  );
  const values = (...edges: (StoredValue | undefined)[]) => edges.map((edge) => edge ?? null);
  switch (operator) {
    case '=':
      return { text: `(${sql} >= ? and ${sql} < ?)`, values: values(from, to) };
    case '!=':
      return { text: `(${sql} < ? or ${sql} >= ? or ${sql} is null)`, values: values(from, to) };
    case '<':
    case '>=':
      return { text: `${sql} ${operator} ?`, values: values(from) };
    case '<=':
      return { text: `${sql} < ?`, values: values(to) };
    default:
      return { text: `${sql} >= ?`, values: values(to) };
  }
}

function compareList(
  context: QueryContext,
  column: Column,
  { operator, value, literalType }: LiteralComparison,
): Sql {
  const values = [value].flat().map((text, index) => {
    const type = Array.isArray(literalType) ? literalType[index] : literalType;
    const literal = readLiteral(context, column.field, text, type);
    if (literal.kind === 'span') throw malformed(context.soql, `unexpected token: '${text}'`, text);
    return literal.value;
  });
  const present = values.filter((one) => one !== null);
  const isIn: Sql = {
    text: `${column.sql} in (${present.map(() => '?').join(', ')})`,
    values: present,
  };
  const isAny = values.includes(null)
    ? joinSql([isIn, plainSql(`${column.sql} is null`)], ' or ')
    : isIn;
  return operator === 'IN' ? isAny : negate(isAny);
}

function compareLike(context: QueryContext, column: Column, { value }: LiteralComparison): Sql {
  if (column.field.type === 'id' || column.field.type === 'reference') {
    throw queryError(
      context.soql,
      'INVALID_QUERY_FILTER_OPERATOR',
      'invalid operator on id field',
      column.field.name,
    );
  }
  return { text: `${column.sql} like ? escape '\\'`, values: [readPattern(String(value))] };
}

/**
 * Converts a pattern. `\%` and `\_` represent the characters themselves, so they stay escaped. All other escape
 * sequences have the same meaning as in a string.
 */
function readPattern(quoted: string): string {
  return quoted
    .split(/(\\[%_\\])/)
    .map((part) => (/^\\[%_\\]$/.test(part) ? part : readQuoted(part)))
    .join('');
}

/** Compares a multi-select picklist. A value such as `'a;b'` requires both a and b. */
function compareParts(
  context: QueryContext,
  column: Column,
  { operator, value }: LiteralComparison,
): Sql {
  if (column.field.type !== 'multipicklist') throw cannotFilter(context, column);
  const sets = [value].flat().map((set) =>
    joinSql(
      readQuoted(set)
        .split(';')
        .map((part) => hasPart(column, part)),
      ' and ',
    ),
  );
  const hasAny = joinSql(sets, ' or ');
  return operator === 'INCLUDES' ? hasAny : negate(hasAny);
}

function hasPart({ sql }: Column, part: string): Sql {
  return { text: `instr(lower(';' || ${sql} || ';'), ?) > 0`, values: [`;${part.toLowerCase()};`] };
}

/** Negates a condition, even if the condition is unknown (null) in SQL. */
export function negate({ text, values }: Sql): Sql {
  return { text: `not coalesce((${text}), 0)`, values };
}

function cannotFilter(context: QueryContext, { field, type }: Column) {
  return queryError(
    context.soql,
    'INVALID_FIELD',
    `field '${field.name}' on entity '${type.name}' can not be filtered in a query call`,
    field.name,
  );
}
