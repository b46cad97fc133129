/**
 * Implements the action `get` for all entities. The action applies conditions, an order and a limit, and it selects
 * fields.
 */

import { z } from 'zod';
import { ApiError } from '../core/errors.ts';
import { meets, order, type ReadField, type SpecialCondition } from './where.ts';

export const getParamsSchema = z.object({
  select: z.array(z.string()).default([]),
  where: z.array(z.unknown()).default([]),
  // PHP encodes an empty map as an empty list.
  orderBy: z.union([z.record(z.string(), z.enum(['ASC', 'DESC'])), z.array(z.never())]).default({}),
  limit: z.number().int().min(0).default(0),
  offset: z.number().int().min(0).default(0),
});

export type GetParams = z.output<typeof getParamsSchema>;

/** Reads the fields of the rows of one entity. */
export interface Reader<Row> {
  rows(params: GetParams): Iterable<Row>;
  /** Returns a field's value for comparisons, or undefined if the field is unknown. */
  compared(row: Row): ReadField;
  /** Returns a field's value for responses, or undefined for an unknown field. */
  shown(row: Row): ReadField;
  /** Returns the fields that `*` selects, which a query without `select` also returns. */
  standard(): readonly string[];
  special?(row: Row): SpecialCondition;
}

export interface Found {
  values: Record<string, unknown>[];
  /**
   * The number of matching rows without limit and offset. Set if the request asks for the number, or if it is known
   * anyway.
   */
  countMatched?: number;
}

export function getRows<Row>(input: unknown, reader: Reader<Row>): Found {
  const params = getParamsSchema.parse(input);
  const { select, where, orderBy, limit, offset } = params;
  const sorts = Object.entries(orderBy);
  // The rows are sorted by ID. The remaining rows must be compared only if the request asks for their number.
  const isById = sorts.every(([field, direction]) => field === 'id' && direction === 'ASC');
  const isEnough = (count: number) =>
    isById && limit > 0 && count === offset + limit && !select.includes('row_count');
  let rows: Row[] = [];
  for (const row of reader.rows(params)) {
    if (meets(where, reader.compared(row), reader.special?.(row))) rows.push(row);
    if (isEnough(rows.length)) break;
  }
  if (!isById) rows = sorted(rows, reader, sorts);
  const page = rows.slice(offset, limit === 0 ? undefined : offset + limit);
  const isCountOnly = select.length === 1 && select[0] === 'row_count';
  const wanted = select.filter((name) => name !== 'row_count');
  const names =
    wanted.length === 0 ? reader.standard() : ['id', ...wanted].flatMap((name) => expand(name));
  return {
    values: isCountOnly ? [] : page.map((row) => toValues(reader.shown(row), names)),
    ...(select.includes('row_count') || page.length < limit || limit === 0
      ? { countMatched: rows.length }
      : {}),
  };

  function expand(name: string): readonly string[] {
    return name === '*' ? reader.standard() : [name];
  }
}

/** Reads the selected fields. CiviCRM omits unknown fields and reports no error. */
function toValues(readField: ReadField, names: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const value = readField(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function sorted<Row>(
  rows: readonly Row[],
  reader: Reader<Row>,
  sorts: readonly (readonly [string, string])[],
): Row[] {
  return rows.toSorted((one, two) => {
    for (const [field, direction] of sorts) {
      const [value, other] = [reader.compared(one)(field), reader.compared(two)(field)];
      if (value === undefined) throw new ApiError(`Invalid field '${field}'`);
      const difference = order(value, other);
      if (difference !== 0) return direction === 'DESC' ? -difference : difference;
    }
    return 0;
  });
}
