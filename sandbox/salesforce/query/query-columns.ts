/** Describes the columns of a query, for clients that show tables (`columns=true`). */

import type { FieldType } from '@jetstreamapp/soql-parser-js';
import { isNumeric, isText } from '../metadata/field.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import type { QueryResult } from './query.ts';
import { isAggregate } from './soql/aggregate.ts';
import { parseSoql } from './soql/parse.ts';
import type { ProjectedColumn } from './soql/projection.ts';

/** Returns the response to a query with `columns=true`. */
export function describeColumns({ type, columns }: QueryResult, soql: string) {
  const query = parseSoql(soql);
  return {
    columnMetadata: isAggregate(query)
      ? summedColumns(type, query.fields ?? [])
      : [...toTree(columns), ...childColumns(query.fields ?? [])],
    entityName: type.name,
    groupBy: query.groupBy !== undefined,
    idSelected: columns.some(({ path }) => path === 'Id'),
    keyPrefix: type.keyPrefix,
  };
}

interface ColumnMetadata {
  columnName: string;
  joinColumns: ColumnMetadata[];
  [fact: string]: unknown;
}

/** Returns the columns as a tree. The columns of a parent record are nested in a column for the parent. */
function toTree(columns: readonly ProjectedColumn[]): ColumnMetadata[] {
  const tree: ColumnMetadata[] = [];
  for (const { path, field } of columns) {
    const steps = path.split('.');
    let level = tree;
    for (const step of steps.slice(0, -1)) {
      let parent = level.find(({ columnName }) => columnName === step);
      if (parent === undefined) {
        parent = columnOf(step, undefined);
        level.push(parent);
      }
      level = parent.joinColumns;
    }
    level.push(columnOf(field.name, field));
  }
  return tree;
}

/**
 * Returns calculated columns. A column has the same name as in the records, and contains the function from the query.
 */
function summedColumns(type: ObjectType, fields: readonly FieldType[]): ColumnMetadata[] {
  let unnamed = 0;
  return fields.flatMap((field) => {
    if (field.type === 'FieldFunctionExpression') {
      const name = field.alias ?? `expr${unnamed++}`;
      return [
        { ...columnOf(name, undefined), aggregate: true, displayName: field.rawValue ?? name },
      ];
    }
    if (field.type !== 'Field' && field.type !== 'FieldRelationship') return [];
    const grouped = field.type === 'Field' ? findField(type, field.field) : undefined;
    const alias = 'alias' in field ? field.alias : undefined;
    return [columnOf(alias ?? grouped?.name ?? field.field, grouped)];
  });
}

/** Returns the columns of child records, which are nested in a single column. */
function childColumns(fields: readonly FieldType[]): ColumnMetadata[] {
  return fields.flatMap((field) => {
    if (field.type !== 'FieldSubquery') return [];
    const { relationshipName, fields: own = [] } = field.subquery;
    const joinColumns = own.flatMap((one) => {
      if (one.type === 'Field') return [columnOf(one.field, undefined)];
      return one.type === 'FieldRelationship' ? [nested([...one.relationships, one.field])] : [];
    });
    return [{ ...columnOf(relationshipName, undefined), aggregate: true, joinColumns }];
  });
}

function nested([first = '', ...rest]: string[]): ColumnMetadata {
  return { ...columnOf(first, undefined), joinColumns: rest.length === 0 ? [] : [nested(rest)] };
}

function columnOf(name: string, field: ProjectedColumn['field'] | undefined): ColumnMetadata {
  return {
    aggregate: false,
    apexType: field === undefined ? null : apexType(field),
    booleanType: field?.type === 'boolean',
    columnName: name,
    custom: field?.custom ?? false,
    displayName: name,
    foreignKeyName: null,
    insertable: field?.createable ?? false,
    joinColumns: [],
    numberType: field !== undefined && isNumeric(field),
    textType: field !== undefined && isText(field),
    updatable: field?.updateable ?? false,
  };
}

function apexType(field: ProjectedColumn['field']): string {
  if (field.type === 'id' || field.type === 'reference') return 'Id';
  if (isText(field)) return 'String';
  if (field.type === 'int') return 'Integer';
  if (isNumeric(field)) return 'Double';
  return field.type.charAt(0).toUpperCase() + field.type.slice(1);
}
