/** GET /v1/integrations and /v1/integrations/:id: what is set up, without any secret of it. */
import { createRoute, z } from '@hono/zod-openapi';
import { readStatus, readStatuses } from '../../clients/views/status.ts';
import { getPage } from '../../core/cursor.ts';
import type { Access } from './access.ts';
import { findIntegration, listAccessible } from './request/client-access.ts';
import type { HttpDeps } from './request/context.ts';
import { createRouter, json, problems } from './request/router.ts';
import { runSchema } from './runs/runs-api.ts';

const integrationSchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    crm: z.string().openapi({ description: 'The kind of CRM.', example: 'salesforce' }),
    schedule: z
      .object({
        cron: z.string(),
        timezone: z.string(),
        nextRunAt: z.iso.datetime().nullable(),
        paused: z.boolean(),
      })
      .nullable()
      .openapi({ description: 'Null if it runs only on request.' }),
    lastRun: runSchema.nullable(),
    lastSuccessAt: z.iso.datetime().nullable(),
  })
  .openapi('Integration');

const MAX_PAGE = 500;

const querySchema = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).optional().openapi({
    description: 'The most on a page; all at once if it is left out.',
  }),
  cursor: z.string().optional().openapi({ description: 'The `next` of the page before.' }),
});

function listRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/integrations',
    tags: ['Integrations'],
    summary: 'List the integrations',
    middleware: [requireRole('viewer')] as const,
    request: { query: querySchema },
    responses: {
      200: {
        description: 'All that the caller may reach, or a page of them.',
        ...json(
          z.object({
            integrations: z.array(integrationSchema),
            next: z.string().nullable().optional().openapi({
              description: 'Where pages are asked for: what leads to the next one, or null.',
            }),
          }),
        ),
      },
      ...problems.access,
      ...problems.invalid,
    },
  });
}

function showRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/integrations/{id}',
    tags: ['Integrations'],
    summary: 'Show an integration',
    middleware: [requireRole('viewer')] as const,
    request: { params: z.object({ id: z.string() }) },
    responses: {
      200: {
        description: 'The integration.',
        ...json(z.object({ integration: integrationSchema })),
      },
      ...problems.access,
      ...problems.notFound,
    },
  });
}

/** The routes that show integrations. */
export function integrationRoutes({ application }: HttpDeps, access: Access) {
  const { store } = application;
  return createRouter()
    .openapi(listRoute(access), async (c) => {
      const { limit, cursor } = c.req.valid('query');
      const all = [...listAccessible(c, application).values()];
      if (limit === undefined && cursor === undefined) {
        return c.json({ integrations: await readStatuses(store.reader, all) }, 200);
      }
      const { page, next } = getPage(all, { cursor, limit: limit ?? MAX_PAGE });
      return c.json({ integrations: await readStatuses(store.reader, page), next }, 200);
    })
    .openapi(showRoute(access), async (c) => {
      const integration = findIntegration(c, application, c.req.valid('param').id);
      return c.json({ integration: await readStatus(store.reader, integration) }, 200);
    });
}
