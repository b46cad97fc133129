/** The endpoints of search, as openapi.json describes them. */

import { createRoute, z } from '@hono/zod-openapi';
import { summarySchema } from '../donors/summary.ts';
import { batchErrors, commonErrors, creditErrors, invalidQueryError, json } from '../errors.ts';
import { limitQuerySchema, limitSchema, nextCursorSchema } from '../pages.ts';
import { filtersSchema, flatFiltersShape } from './criteria.ts';

const TAGS = ['Search'];

const MAX_QUESTION_LENGTH = 500;

const PAGES =
  'Donors come best first: the living, then names that fit better, then ties that last, then those who could give more. One request looks at a bounded number of candidates and says in meta how many; next_cursor goes on behind them, so a page can be short and still have a next one.';

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
        matched: z.array(z.string()).openapi({ description: 'What speaks for this donor' }),
      }),
    ),
    next_cursor: nextCursorSchema,
    meta: z.object({
      source: z.enum(['names', 'organizations', 'facts']).openapi({
        description: 'The index that named the candidates',
      }),
      candidates: z.int(),
      scanned: z.int().openapi({ description: 'Candidates that this page looked at' }),
      found: z.int().openapi({ description: 'Of those, how many fit' }),
      complete: z.boolean().openapi({
        description:
          'Whether the page looked at all candidates, and found and rank are of them all',
      }),
    }),
    interpretation: z
      .object({
        filters: filtersSchema,
        understood: z.array(z.object({ text: z.string(), meaning: z.string() })),
        ignored: z.array(z.object({ text: z.string(), reason: z.string() })),
      })
      .openapi({ description: 'What was searched for, and what of the question was passed over' }),
  })
  .openapi('SearchResults');

/** Searches by the parameters of the URL. The request is charged. */
export const searchRoute = createRoute({
  method: 'get',
  path: '/search',
  tags: TAGS,
  summary: 'Search donors by parameters',
  description: `One credit of the searches bucket. All that is given must hold; at least one of the parameters is needed. ${PAGES}`,
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

/** Searches by plain English, filters, or both. The request is charged. */
export const questionRoute = createRoute({
  method: 'post',
  path: '/search',
  tags: TAGS,
  summary: 'Search donors in plain English or by filters',
  description: `One credit of the searches bucket. A question of which nothing is understood is a 422 and costs nothing. ${PAGES}`,
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
