/**
 * The search endpoints (service document, section 4.4). A search uses parameters, filters or a question in plain
 * English.
 */

import type { OpenAPIHono } from '@hono/zod-openapi';
import type { PartnerEnv } from '../context.ts';
import type { ChargedEndpoint } from '../metering.ts';
import { createRouter } from '../router.ts';
import type { ValidationItem } from '../validation.ts';
import { type Filters, fromFlatFilters, isEmpty, mergeFilters } from './criteria.ts';
import { type FindOptions, findDonors, type SearchPosition } from './find-donors.ts';
import { isBorne } from './names.ts';
import { createReader, type Question } from './question/question.ts';
import { questionRoute, searchRoute } from './search-api.ts';

/** The price of a search, which is one credit for each request. */
export const CHARGED_SEARCHES: readonly ChargedEndpoint[] = [
  { method: 'GET', path: /^\/search$/, bucket: 'searches', items: () => 1 },
  { method: 'POST', path: /^\/search$/, bucket: 'searches', items: () => 1 },
];

/** Creates the search endpoints. */
export function searchRoutes(options: FindOptions): OpenAPIHono<PartnerEnv> {
  const read = createReader((text) => isBorne(options.donorIndex, text));
  const router = createRouter();
  router.openapi(searchRoute, async (c) => {
    const { q, limit, cursor, ...flat } = c.req.valid('query');
    const question = interpret(fromFlatFilters(flat), q === undefined ? undefined : read(q));
    if (!isEmpty(question.filters)) {
      return c.json(await find(options, question, cursor, limit), 200);
    }
    return q === undefined
      ? c.json(NOTHING_SOUGHT, 400)
      : c.json({ detail: [tellNotUnderstood(question, ['query', 'q'], q)] }, 422);
  });
  router.openapi(questionRoute, async (c) => {
    const { query, filters, limit, cursor } = c.req.valid('json');
    const asked = query === undefined ? undefined : read(query);
    const question = interpret(filters ?? { ties: [] }, asked);
    if (!isEmpty(question.filters)) {
      return c.json(await find(options, question, cursor, limit), 200);
    }
    return query === undefined
      ? c.json(NOTHING_SOUGHT, 400)
      : c.json({ detail: [tellNotUnderstood(question, ['body', 'query'], query)] }, 422);
  });
  return router;
}

/** Combines the filters and the question. If both set the same criterion, the filter is used. */
function interpret(filters: Filters, question: Question | undefined): Question {
  return question === undefined
    ? { filters, understood: [], ignored: [] }
    : { ...question, filters: mergeFilters(filters, question.filters) };
}

/**
 * The response to a search without any criterion. A search without any criterion would return all donors, so the
 * service rejects it.
 */
const NOTHING_SOUGHT = { detail: 'Nothing is sought: give a query or at least one filter' };

function tellNotUnderstood({ ignored }: Question, loc: string[], input: string): ValidationItem {
  const passedOver = ignored.map(({ text, reason }) => `"${text}" (${reason})`).join(', ');
  const msg = `Value error, no part of the query is understood: ${passedOver}`;
  return { type: 'value_error', loc, msg, input };
}

const FIRST_PAGE: SearchPosition = { start: 0, offset: 0 };

async function find(
  options: FindOptions,
  question: Question,
  cursor: string | undefined,
  limit: number,
) {
  const position = cursor === undefined ? FIRST_PAGE : readCursor(cursor);
  const { donors, next, meta } = await findDonors(options, question.filters, position, limit);
  return {
    donors,
    next_cursor: next === null ? null : `${next.start}.${next.offset}`,
    meta,
    interpretation: question,
  };
}

function readCursor(cursor: string): SearchPosition {
  const [start = 0, offset = 0] = cursor.split('.').map(Number);
  return { start, offset };
}
