/** Parses a search request and checks HubSpot's limits. */

import { z } from 'zod';
import { validationError } from '../core/errors.ts';

const MAX_GROUPS = 5;
const MAX_FILTERS_IN_GROUP = 6;
const MAX_FILTERS = 18;
const MAX_PAGE = 200;
const DEFAULT_PAGE = 10;
/** The maximum number of results of a search on all pages together. */
const MAX_RESULTS = 10_000;
/** The maximum number of characters in the body of a request. */
const MAX_BODY_LENGTH = 3000;

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** The operators, with the operands that each of them needs. */
export const OPERATORS = {
  EQ: 'value',
  NEQ: 'value',
  LT: 'value',
  LTE: 'value',
  GT: 'value',
  GTE: 'value',
  BETWEEN: 'range',
  IN: 'values',
  NOT_IN: 'values',
  HAS_PROPERTY: 'nothing',
  NOT_HAS_PROPERTY: 'nothing',
  CONTAINS_TOKEN: 'value',
  NOT_CONTAINS_TOKEN: 'value',
} as const;

const operatorSchema = z.enum([
  'EQ',
  'NEQ',
  'LT',
  'LTE',
  'GT',
  'GTE',
  'BETWEEN',
  'IN',
  'NOT_IN',
  'HAS_PROPERTY',
  'NOT_HAS_PROPERTY',
  'CONTAINS_TOKEN',
  'NOT_CONTAINS_TOKEN',
]);

const filterSchema = z.object({
  propertyName: z.string(),
  operator: operatorSchema,
  value: text.optional(),
  highValue: text.optional(),
  values: z.array(text).optional(),
});

/** One condition of a search. A record matches the search if it meets all conditions of at least one group. */
export type SearchFilter = z.output<typeof filterSchema>;

const sortSchema = z.union([
  z.string().transform((name) => ({
    propertyName: name.replace(/^-/, ''),
    isDescending: name.startsWith('-'),
  })),
  z
    .object({
      propertyName: z.string(),
      direction: z.enum(['ASCENDING', 'DESCENDING']).default('ASCENDING'),
    })
    .transform(({ propertyName, direction }) => ({
      propertyName,
      isDescending: direction === 'DESCENDING',
    })),
]);

/** The body of a search request. */
export const searchSchema = z.object({
  filterGroups: z.array(z.object({ filters: z.array(filterSchema).default([]) })).default([]),
  /** The conditions without a group, which form a separate group. */
  filters: z.array(filterSchema).default([]),
  query: z.string().default(''),
  sorts: z.array(sortSchema).default([]),
  properties: z.array(z.string()).default([]),
  limit: z.number().int().min(0).default(DEFAULT_PAGE),
  after: z
    .union([z.string(), z.number()])
    .default('0')
    .transform((after) => Number(after || 0)),
});

export interface SearchRequest {
  groups: readonly (readonly SearchFilter[])[];
  /** The words of the search. Each word must match the start of a word in the record. */
  query: string;
  sort: { propertyName: string; isDescending: boolean } | undefined;
  /** The requested properties. The list is empty if the request names no properties. */
  properties: readonly string[];
  limit: number;
  /** The number of results to skip. */
  offset: number;
}

/** Validates and normalises a search. If a limit is exceeded, the error names the limit. */
export function readSearch(body: z.output<typeof searchSchema>): SearchRequest {
  const groups = body.filterGroups.map(({ filters }) => filters);
  if (body.filters.length > 0) groups.push(body.filters);
  check(groups.length <= MAX_GROUPS, `at most ${MAX_GROUPS} filterGroups`);
  check(
    groups.every((filters) => filters.length <= MAX_FILTERS_IN_GROUP),
    `at most ${MAX_FILTERS_IN_GROUP} filters in a group`,
  );
  check(groups.flat().length <= MAX_FILTERS, `at most ${MAX_FILTERS} filters in all`);
  check(body.sorts.length <= 1, 'at most one sort');
  check(body.limit <= MAX_PAGE, `a limit of at most ${MAX_PAGE}`);
  check(Number.isInteger(body.after) && body.after >= 0, 'an after that is a number');
  check(
    body.after + body.limit <= MAX_RESULTS,
    `after and limit within the first ${MAX_RESULTS} results`,
  );
  for (const filter of groups.flat()) checkOperands(filter);
  return {
    groups: groups.filter((filters) => filters.length > 0),
    query: body.query,
    sort: body.sorts[0],
    properties: body.properties,
    limit: body.limit,
    offset: body.after,
  };
}

/** Rejects a body that is too long to process. */
export function checkBodyLength(body: string): void {
  check(body.length <= MAX_BODY_LENGTH, `a body of at most ${MAX_BODY_LENGTH} characters`);
}

/** Returns the 400 error for a search that HubSpot cannot execute. */
export function searchError(message: string, code = 'INVALID_SEARCH') {
  return validationError(`There was a problem with the request. ${message}`, {
    errors: [{ message, code }],
  });
}

function check(holds: boolean, what: string): void {
  if (!holds) throw searchError(`A search has ${what}.`);
}

function checkOperands({ operator, propertyName, value, highValue, values }: SearchFilter): void {
  const name = `${operator} of ${propertyName}`;
  switch (OPERATORS[operator]) {
    case 'value':
      if (value === undefined) throw searchError(`${name} needs a value.`);
      break;
    case 'range':
      if (value === undefined || highValue === undefined) {
        throw searchError(`${name} needs a value and a highValue.`);
      }
      break;
    case 'values':
      if (values === undefined || values.length === 0) throw searchError(`${name} needs values.`);
      break;
    default:
      break;
  }
}
