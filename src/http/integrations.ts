/** GET /v1/integrations and /v1/integrations/:id: what is set up, without any secret of it. */
import { createRoute, z } from '@hono/zod-openapi';
import { readStatus } from '../views/status.ts';
import type { Access } from './access.ts';
import type { HttpDeps } from './request/context.ts';
import { createRouter, findIntegration, json, problems } from './request/router.ts';
import { runSchema } from './runs.ts';

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

function listRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/integrations',
    tags: ['Integrations'],
    summary: 'List the integrations',
    middleware: [requireRole('viewer')] as const,
    responses: {
      200: {
        description: 'All of them.',
        ...json(z.object({ integrations: z.array(integrationSchema) })),
      },
      ...problems.access,
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
  const { store, integrations: known } = application;
  return createRouter()
    .openapi(listRoute(access), async (c) => {
      const integrations = await Promise.all(
        [...known.values()].map((integration) => readStatus(store, integration)),
      );
      return c.json({ integrations }, 200);
    })
    .openapi(showRoute(access), async (c) => {
      const integration = findIntegration(application, c.req.valid('param').id);
      return c.json({ integration: await readStatus(store, integration) }, 200);
    });
}
