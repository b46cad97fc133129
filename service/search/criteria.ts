/**
 * The criteria of a search. The criteria come from filters or from a question in plain English. A donor must meet all
 * criteria.
 */

import { z } from '@hono/zod-openapi';

/**
 * The kinds of relationships between a donor and an organisation. Connections use the same names (service document,
 * section 2.2).
 */
const RELATIONSHIPS = ['sits_on_board_of', 'works_for', 'donates_to', 'attends'] as const;

/** The time of a relationship: now, in the past, or at any time. */
export const TIMES = ['present', 'past', 'ever'] as const;

/** The maximum number of relationships in a search. For each of them, the search looks up all organisations. */
const MAX_TIES = 10;

const wholeNumber = z.int().min(0);

const wholeNumberInUrl = z
  .string()
  .regex(/^\d{1,15}$/, 'the value should be a whole number')
  .transform(Number)
  .openapi({ type: 'integer', minimum: 0 });

const text = z.string().trim().min(1).max(200);

function tieShape<Whole extends z.ZodType>(whole: Whole) {
  return {
    relationship: z.enum(RELATIONSHIPS).optional(),
    organization: text.optional().openapi({
      description: 'Words of its name in any order; plurals count as singulars',
      example: 'food bank',
    }),
    title: text.optional().openapi({ description: 'Words of the title' }),
    when: z.enum(TIMES).default('ever'),
    min_amount: whole.optional().openapi({ description: 'Amount of one donation, in US dollars' }),
  };
}

function personShape<Whole extends z.ZodType>(whole: Whole) {
  return {
    name: text.optional().openapi({ description: 'A full name or a last name' }),
    city: text.optional(),
    state: z
      .string()
      .trim()
      .toUpperCase()
      .regex(/^[A-Z]{2}$/, 'the state should have two letters')
      .optional()
      .openapi({ type: 'string', description: 'Two letters', example: 'IL' }),
    min_age: whole.optional(),
    max_age: whole.optional(),
    min_net_worth: whole
      .optional()
      .openapi({ description: 'The whole range must be above this amount, in US dollars' }),
    max_net_worth: whole
      .optional()
      .openapi({ description: 'The whole range must be below this amount, in US dollars' }),
    min_capacity: whole.optional().openapi({ description: 'For nonprofits, in US dollars' }),
  };
}

const tieSchema = z.strictObject(tieShape(wholeNumber)).openapi('TieFilter');

/** A filter for a relationship with an organisation. Every donor in the result has this relationship. */
export type TieFilter = z.infer<typeof tieSchema>;

export const filtersSchema = z
  .strictObject({ ...personShape(wholeNumber), ties: z.array(tieSchema).max(MAX_TIES).default([]) })
  .openapi('SearchFilters');

/** The conditions that every donor in the result must meet. */
export type Filters = z.infer<typeof filtersSchema>;

/** The filters in the form of URL parameters. A URL can contain only one relationship filter. */
export const flatFiltersShape = {
  ...personShape(wholeNumberInUrl),
  ...tieShape(wholeNumberInUrl),
  when: z.enum(TIMES).optional(),
};

const flatFiltersSchema = z.object(flatFiltersShape);

/** Reads the filters from the parameters of a URL. */
export function fromFlatFilters(flat: z.infer<typeof flatFiltersSchema>): Filters {
  const { relationship, organization, title, when, min_amount, ...person } = flat;
  const tie = { relationship, organization, title, min_amount };
  const isTie = Object.values(tie).some((value) => value !== undefined) || when !== undefined;
  return { ...person, ties: isTie ? [{ ...tie, when: when ?? 'ever' }] : [] };
}

/** Returns true if no filter is set. */
export function isEmpty({ ties, ...person }: Filters): boolean {
  return ties.length === 0 && Object.values(person).every((value) => value === undefined);
}

/** Combines two sets of filters. If both sets contain the same filter, the filter of the first set is used. */
export function mergeFilters(first: Filters, second: Filters): Filters {
  const given = Object.fromEntries(
    Object.entries(first).filter(([, value]) => value !== undefined),
  );
  return { ...second, ...given, ties: [...first.ties, ...second.ties] };
}
