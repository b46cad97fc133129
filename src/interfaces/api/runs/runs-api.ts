import { createRoute, z } from '@hono/zod-openapi';
import { OUTCOME_ORDER } from '../../../core/outcome.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { previewRedelivery, redeliver } from '../../../operations/redeliver.ts';
import {
  listRunContacts,
  listRuns,
  type RunContactsInput,
  showRun,
  stopRun,
  streamRunContacts,
} from '../../../operations/runs.ts';
import { retryRun, startRun } from '../../../operations/start-run.ts';
import type { Access } from '../access.ts';
import { createOperationRoutes } from '../operation-routes.ts';
import { authorised, getCaller, toOperationDeps } from '../request/caller.ts';
import { findRun } from '../request/client-access.ts';
import type { HttpDeps } from '../request/context.ts';
import { createRouter, json, problems } from '../request/router.ts';
import { sendStream } from '../send-stream.ts';

export function runRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const tag = 'Runs';
  add(listRuns, { tag, method: 'get', path: '/v1/runs' });
  add(showRun, { tag, method: 'get', path: '/v1/runs/{run}' });
  add(stopRun, { tag, method: 'post', path: '/v1/runs/{run}/stop', status: 202 });
  const later = { tag, method: 'post', status: 202 } as const;
  add(startRun, {
    ...later,
    path: '/v1/integrations/{integration}/runs',
    headers: { idempotencyKey: 'idempotency-key' },
    location: ({ run }) => `/v1/runs/${run.id}`,
  });
  add(retryRun, {
    ...later,
    path: '/v1/runs/{run}/retry',
    location: ({ run }) => `/v1/runs/${run.id}`,
  });
  const redelivery = '/v1/integrations/{integration}/redelivery';
  add(redeliver, { tag, method: 'post', path: redelivery });
  add(previewRedelivery, { tag, method: 'post', path: `${redelivery}/counts` });
  return app;
}

const { shape } = listRunContacts.input;

const contactQuerySchema = z.object({
  outcome: z
    .string()
    .transform((text) => text.split(','))
    .pipe(shape.outcome.unwrap())
    .optional()
    .openapi({
      type: 'string',
      description: `Only these outcomes, separated by commas: ${OUTCOME_ORDER.join(', ')}.`,
      example: 'held,failed',
    }),
  reason: shape.reason,
  contact: shape.contact,
  limit: z.coerce.number().pipe(shape.limit.unwrap()).optional(),
  cursor: shape.cursor,
  format: z
    .enum(['json', 'csv', 'json-file'], { error: 'Choose one of json, csv, json-file.' })
    .default('json')
    .openapi({
      description: '`csv` and `json-file` have all contacts in one file, without pages.',
    }),
});

function contactsRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/runs/{run}/contacts',
    tags: ['Runs'],
    summary: listRunContacts.summary,
    operationId: 'runsContacts',
    description:
      'For all users and access tokens. These records are kept for `retention.runRows` days.',
    middleware: [requireRole(listRunContacts.role), authorised(listRunContacts)] as const,
    request: { params: z.object({ run: shape.run }), query: contactQuerySchema },
    responses: {
      200: {
        description: 'A page of contacts.',
        content: {
          ...json(listRunContacts.result).content,
          'text/csv': { schema: z.string() },
        },
      },
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
    },
  });
}

/**
 * Creates the route for a run's contacts. The route is not generated from an operation, because it also sends files. A
 * run can have a million contacts, which is too much for memory.
 */
export function runContactRoutes(deps: HttpDeps, access: Access) {
  const { reader } = deps.application.store;
  const world = toOperationDeps(deps);
  return createRouter().openapi(contactsRoute(access), async (c) => {
    const { run } = c.req.valid('param');
    const { format, limit, cursor, ...filter } = c.req.valid('query');
    const caller = getCaller(c);
    const which: RunContactsInput = { run, ...filter };
    if (format === 'json') {
      const input = listRunContacts.input.parse({ ...which, limit, cursor });
      return c.json(await perform(world, caller, listRunContacts, input), 200);
    }
    // Checks the run before the first byte is sent, so that an unknown run gets an error response.
    await findRun(c, reader, run);
    const form = format === 'csv' ? 'csv' : 'json';
    return sendStream(c, deps, {
      file: `run-${run}.${form}`,
      mediaType: `${MEDIA_TYPES[form]}; charset=utf-8`,
      parts: streamRunContacts({ reader, caller }, which, form),
    });
  });
}

const MEDIA_TYPES = { csv: 'text/csv', json: 'application/json' };
