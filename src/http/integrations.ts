/** GET /v1/integrations and /v1/integrations/:id: what is set up, without any secret of it. */
import { createRoute, z } from '@hono/zod-openapi';
import { isoTime } from '../core/clock.ts';
import type { Integration } from '../core/integration.ts';
import type { ScheduleRow } from '../store/schedules.ts';
import { reportOf } from '../sync/stored-report.ts';
import type { Access } from './access.ts';
import type { HttpDeps } from './context.ts';
import { findIntegration } from './find-integration.ts';
import { accessErrors, createRouter, json, notFoundError } from './router.ts';
import { runSchema } from './run-view.ts';

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
      .openapi({ description: 'Null if it runs only when somebody asks.' }),
    lastRun: runSchema.nullable(),
    lastSuccessAt: z.iso.datetime().nullable(),
  })
  .openapi('Integration');

type IntegrationView = z.infer<typeof integrationSchema>;

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
      ...accessErrors,
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
      ...{ ...accessErrors, ...notFoundError },
    },
  });
}

/** The routes that show integrations. */
export function integrationRoutes({ application }: HttpDeps, access: Access) {
  const { store, integrations: known } = application;
  return createRouter()
    .openapi(listRoute(access), async (c) => {
      const schedules = new Map(
        (await store.schedules.list()).map((row) => [row.integration_id, row]),
      );
      const integrations = await Promise.all(
        [...known.values()].map((one) => describe(one, schedules.get(one.id))),
      );
      return c.json({ integrations }, 200);
    })
    .openapi(showRoute(access), async (c) => {
      const integration = findIntegration(application, c.req.valid('param').id);
      const schedule = await store.schedules.find(integration.id);
      return c.json({ integration: await describe(integration, schedule) }, 200);
    });

  async function describe(
    { id, name, crm, schedule }: Integration,
    planned: ScheduleRow | undefined,
  ): Promise<IntegrationView> {
    const [last] = await store.runs.list({ integrationId: id, limit: 1 });
    const [success] = await store.runs.list({ integrationId: id, status: 'succeeded', limit: 1 });
    return {
      id,
      name: name ?? null,
      crm: crm.kind,
      schedule: schedule && {
        ...{ cron: schedule.cron, timezone: schedule.timezone },
        nextRunAt: timeOrNull(planned?.next_run_at),
        paused: planned?.paused === 1,
      },
      lastRun: last ? await reportOf(store, last) : null,
      lastSuccessAt: timeOrNull(success?.finished_at),
    };
  }
}

function timeOrNull(epochMs: number | null | undefined): string | null {
  return epochMs === null || epochMs === undefined ? null : isoTime(epochMs);
}
