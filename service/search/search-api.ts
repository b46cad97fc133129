/** The endpoints of search, as openapi.json describes them. */

import { createRoute, z } from '@hono/zod-openapi';
import { summarySchema } from '../donors/summary.ts';
import { batchErrors, commonErrors, creditErrors, invalidQueryError, json } from '../errors.ts';
import { limitQuerySchema, limitSchema, nextCursorSchema } from '../pages.ts';
import { filtersSchema, flatFiltersShape } from './criteria.ts';

const TAGS = ['Search'];

const MAX_QUESTION_LENGTH = 500;

const PAGES =
  'Donors come best first: the living, then names that fit better, then current ties, then donors who could give more. One request checks a limited number of candidates, and meta says how many. next_cursor continues after them, so a page can be short and still have a next page.';

const cursorSchema = z
  .string()
  .regex(/^\d{1,10}\.\d{1,10}$/, 'the cursor should be the next_cursor of the page before')
  .optional()
  .openapi({ description: 'The next_cursor of the page before' });

const questionSchema = z.string().trim().min(1).max(MAX_QUESTION_LENGTH).openapi({
  description: 'Plain English',
  example: 'board members of food banks in Chicago with net worth over $5M',
});

const foundSchema = z
  .object({
    donors: z.array(
      z.object({
        ...summarySchema.shape,
        matched: z.array(z.string()).openapi({ description: 'The criteria that this donor meets' }),
      }),
    ),
    next_cursor: nextCursorSchema,
    meta: z.object({
      source: z.enum(['names', 'organizations', 'facts']).openapi({
        description: 'The index that returned the candidates',
      }),
      candidates: z.int(),
      scanned: z.int().openapi({ description: 'Candidates that this page checked' }),
      found: z.int().openapi({ description: 'Number of checked candidates that fit' }),
      complete: z.boolean().openapi({
        description:
          'Whether the page checked all candidates, so that found and rank cover all of them',
      }),
    }),
    interpretation: z
      .object({
        filters: filtersSchema,
        understood: z.array(z.object({ text: z.string(), meaning: z.string() })),
        ignored: z.array(z.object({ text: z.string(), reason: z.string() })),
      })
      .openapi({
        description: 'The filters that were used, and the parts of the question that were ignored',
      }),
  })
  .openapi('SearchResults');

/** Searches with URL parameters. The request is charged. */
export const searchRoute = createRoute({
  method: 'get',
  path: '/search',
  tags: TAGS,
  summary: 'Search donors by parameters',
  description: `One credit of the searches bucket. A donor must meet all given parameters; at least one is needed. ${PAGES}`,
  request: {
    query: z.strictObject({
      q: questionSchema.optional(),
      ...flatFiltersShape,
      limit: limitQuerySchema,
      cursor: cursorSchema,
    }),
  },
  responses: {
    200: { description: 'One page of donors.', ...json(foundSchema) },
    400: { ...batchErrors[400], description: 'Nothing is sought.' },
    ...creditErrors,
    ...invalidQueryError,
    ...commonErrors,
  },
});

/** Searches with a question in plain English, with filters, or with both. The request is charged. */
export const questionRoute = createRoute({
  method: 'post',
  path: '/search',
  tags: TAGS,
  summary: 'Search donors in plain English or by filters',
  description: `One credit of the searches bucket. If no part of a question is understood, the response is a 422 and costs nothing. ${PAGES}`,
  request: {
    body: {
      required: true,
      ...json(
        z
          .object({
            query: questionSchema.optional(),
            filters: filtersSchema.optional(),
            limit: limitSchema,
            cursor: cursorSchema,
          })
          .openapi('SearchRequest', {
            example: { query: 'board members of food banks with net worth over $5M', limit: 20 },
          }),
      ),
    },
  },
  responses: {
    200: { description: 'One page of donors.', ...json(foundSchema) },
    ...creditErrors,
    ...batchErrors,
    400: { ...batchErrors[400], description: 'Nothing is sought.' },
  },
});
