/** GET /v1/runs and /v1/runs/:id. */
import { createRoute, z } from '@hono/zod-openapi';
import { runStatusSchema } from '../core/run.ts';
import type { RunFilter } from '../store/runs/runs.ts';
import { findRunReport, reportOf } from '../views/run.ts';
import type { Access } from './access.ts';
import type { HttpDeps } from './request/context.ts';
import { readCursor, writeCursor } from './request/cursor.ts';
import { HttpError } from './request/http-error.ts';
import { accessErrors, createRouter, invalidError, json, notFoundError } from './request/router.ts';
import { runSchema } from './run-schema.ts';

const MAX_PAGE = 100;
const DEFAULT_PAGE = 20;

const querySchema = z.object({
  integration: z.string().optional().openapi({ description: 'Only the runs of this integration.' }),
  status: runStatusSchema.optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z.string().optional().openapi({ description: 'The `next` of the page before.' }),
});

const pageSchema = z
  .object({
    runs: z.array(runSchema),
    next: z.string().nullable().openapi({ description: 'The cursor of the next page, if any.' }),
  })
  .openapi('RunPage');

function listRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/runs',
    tags: ['Runs'],
    summary: 'List the runs, the newest first',
    middleware: [requireRole('viewer')] as const,
    request: { query: querySchema },
    responses: {
      200: { description: 'A page of runs.', ...json(pageSchema) },
      ...{ ...accessErrors, ...invalidError },
    },
  });
}

function showRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/runs/{id}',
    tags: ['Runs'],
    summary: 'Show a run as it stands now',
    middleware: [requireRole('viewer')] as const,
    request: { params: z.object({ id: z.string() }) },
    responses: {
      200: { description: 'The run.', ...json(z.object({ run: runSchema })) },
      ...{ ...accessErrors, ...notFoundError },
    },
  });
}

/** The routes that show runs. */
export function runRoutes({ application: { store } }: HttpDeps, access: Access) {
  return createRouter()
    .openapi(listRoute(access), async (c) => {
      const { integration, status, limit, cursor } = c.req.valid('query');
      const after = cursor === undefined ? undefined : positionOf(cursor);
      // One more than is shown tells whether there is a next page.
      const rows = await store.runs.list({
        ...{ integrationId: integration, status, after },
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const runs = await Promise.all(shown.map((row) => reportOf(store, row)));
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return c.json({ runs, next: last ? writeCursor([last.startedAt, last.id]) : null }, 200);
    })
    .openapi(showRoute(access), async (c) => {
      const { id } = c.req.valid('param');
      const run = await findRunReport(store, id);
      if (run === null) throw runUnknown(id);
      return c.json({ run }, 200);
    });
}

/** There is no such run. */
export function runUnknown(id: string): HttpError {
  return new HttpError(404, 'run_unknown', `There is no run "${id}".`);
}

function positionOf(cursor: string): RunFilter['after'] {
  const [startedAt, id] = readCursor(cursor);
  return { startedAt, id };
}
