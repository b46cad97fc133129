/** The list of columns after SELECT. */

import type { FieldSubquery, FieldType } from '@jetstreamapp/soql-parser-js';
import type { ObjectType } from '../../metadata/object-type.ts';
import type { QueryContext } from './context.ts';
import { malformed } from './query-error.ts';

/** The part of a query that defines the columns. */
export interface SelectList {
  fields?: FieldType[];
  limit?: number;
}

/** Replaces FIELDS(ALL) and similar functions by the fields that they represent. */
export function expandFields(
  context: QueryContext,
  type: ObjectType,
  { fields = [], limit }: SelectList,
): FieldType[] {
  return fields.flatMap((field) => expand(context, type, field, limit));
}

function expand(
  context: QueryContext,
  type: ObjectType,
  field: FieldType,
  limit: number | undefined,
): FieldType[] {
  if (field.type !== 'FieldFunctionExpression' || field.functionName.toUpperCase() !== 'FIELDS') {
    return [field];
  }
  const which = String(field.parameters[0]).toUpperCase();
  if (which !== 'STANDARD' && (limit === undefined || limit > MAX_ROWS_OF_ALL_FIELDS)) {
    throw malformed(
      context.soql,
      'The SOQL FIELDS function must have a LIMIT of at most 200',
      'FIELDS',
    );
  }
  return type.fields
    .filter((one) => which === 'ALL' || one.custom === (which === 'CUSTOM'))
    .filter((one) => context.access.canRead(context.user, type, one))
    .map(({ name }) => ({ type: 'Field', field: name }));
}

const MAX_ROWS_OF_ALL_FIELDS = 200;

/**
 * Returns the path of a selected column. Throws MALFORMED_QUERY for a function that does not return a value of the
 * record.
 */
export function pathOf(context: QueryContext, field: Exclude<FieldType, FieldSubquery>): string {
  switch (field.type) {
    case 'Field':
      return 'objectPrefix' in field ? `${field.objectPrefix}.${field.field}` : field.field;
    case 'FieldRelationship': {
      const prefix = 'objectPrefix' in field ? [field.objectPrefix] : [];
      return [...prefix, ...field.relationships, field.field].join('.');
    }
    case 'FieldFunctionExpression':
      // In this org, labels and values are equal, so `toLabel` returns the field's value.
      if (field.functionName.toUpperCase() === 'TOLABEL') return String(field.parameters[0]);
      throw malformed(
        context.soql,
        `unexpected token: '${field.functionName}'`,
        field.functionName,
      );
    default:
      throw malformed(context.soql, "unexpected token: 'TYPEOF'", 'TYPEOF');
  }
}
