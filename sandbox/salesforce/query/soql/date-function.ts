/** Date functions, for example CALENDAR_YEAR. All of them use UTC, which is the time zone of this org and its users. */

import type { FunctionExp } from '@jetstreamapp/soql-parser-js';
import { defineField } from '../../metadata/field.ts';
import type { QueryContext } from './context.ts';
import { malformed, queryError } from './query-error.ts';
import type { Column, Scope } from './scope.ts';

/** The SQL for each function. `{d}` represents the date. The fiscal year of the stand-in's org is the calendar year. */
const PARTS: Partial<Record<string, string>> = {
  CALENDAR_YEAR: `cast(strftime('%Y', {d}) as integer)`,
  CALENDAR_QUARTER: `(cast(strftime('%m', {d}) as integer) + 2) / 3`,
  CALENDAR_MONTH: `cast(strftime('%m', {d}) as integer)`,
  FISCAL_YEAR: `cast(strftime('%Y', {d}) as integer)`,
  FISCAL_QUARTER: `(cast(strftime('%m', {d}) as integer) + 2) / 3`,
  FISCAL_MONTH: `cast(strftime('%m', {d}) as integer)`,
  DAY_IN_MONTH: `cast(strftime('%d', {d}) as integer)`,
  // The day of the week. Sunday is the first day.
  DAY_IN_WEEK: `cast(strftime('%w', {d}) as integer) + 1`,
  DAY_IN_YEAR: `cast(strftime('%j', {d}) as integer)`,
  // The week of the month. The first week consists of the first seven days.
  WEEK_IN_MONTH: `(cast(strftime('%d', {d}) as integer) + 6) / 7`,
  WEEK_IN_YEAR: `(cast(strftime('%j', {d}) as integer) + 6) / 7`,
  HOUR_IN_DAY: `cast(strftime('%H', {d}) as integer)`,
  DAY_ONLY: 'date({d})',
};

/** The functions that need a date with a time. */
const OF_TIMES = new Set(['HOUR_IN_DAY', 'DAY_ONLY']);

export function isDateFunction(name: string | undefined): boolean {
  return name !== undefined && PARTS[name.toUpperCase()] !== undefined;
}

/** Returns the column for a date function. Throws MALFORMED_QUERY for any other function. */
export function dateFunctionColumn(
  context: QueryContext,
  scope: Scope,
  { functionName = '', parameters = [] }: FunctionExp,
): Column {
  const name = functionName.toUpperCase();
  const pattern = PARTS[name];
  const path = pathOf(parameters[0]);
  if (pattern === undefined || path === undefined || parameters.length !== 1) {
    throw malformed(context.soql, `unexpected token: '${functionName}'`, functionName);
  }
  const column = scope.column(path);
  const isTime = column.field.type === 'datetime';
  if (!isTime && (column.field.type !== 'date' || OF_TIMES.has(name))) {
    const message = `field ${column.field.name} does not support function ${name}`;
    throw queryError(context.soql, 'INVALID_FIELD', message, functionName);
  }
  const date = isTime ? `datetime(${column.sql} / 1000, 'unixepoch')` : column.sql;
  return {
    ...column,
    field: name === 'DAY_ONLY' ? DAY : NUMBER,
    sql: `(${pattern.replaceAll('{d}', date)})`,
  };
}

const DAY = defineField('day', 'day', 'date');
const NUMBER = defineField('part', 'part', 'int', { precision: 9 });

/**
 * Returns the path in the parameter. For a user whose time zone is UTC, `convertTimezone(CreatedDate)` is
 * `CreatedDate`.
 */
function pathOf(parameter: string | FunctionExp | undefined): string | undefined {
  if (parameter === undefined || typeof parameter === 'string') return parameter;
  if (parameter.functionName?.toUpperCase() !== 'CONVERTTIMEZONE') return undefined;
  const [path] = parameter.parameters ?? [];
  return typeof path === 'string' ? path : undefined;
}
