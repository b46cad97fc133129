/** When an integration runs by itself: look at it, pause and resume it. */
import { createRoute, z } from '@hono/zod-openapi';
import { readSchedule } from '../../clients/schedules/schedule-calendar.ts';
import { isScheduled, pauseSchedule, resumeSchedule } from '../../clients/schedules/schedules.ts';
import type { Actor } from '../../core/actor.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Access } from './access.ts';
import { findIntegration } from './request/client-access.ts';
import type { HttpDeps } from './request/context.ts';
import { createRouter, json, problems } from './request/router.ts';

const daySchema = z.object({
  day: z.iso.date(),
  isToday: z.boolean(),
  runs: z.array(
    z.object({
      id: z.string(),
      startedAt: z.iso.datetime(),
      status: z.string(),
      trigger: z.string(),
    }),
  ),
  times: z.array(z.string()).openapi({ description: 'By the clock on the wall of the time zone.' }),
  hasMore: z.boolean(),
});

const scheduleSchema = z
  .object({
    schedule: z
      .object({
        cron: z.string(),
        timezone: z.string(),
        nextRunAt: z.iso.datetime().nullable(),
        paused: z.boolean(),
      })
      .nullable(),
    text: z.string().nullable().openapi({ example: 'every day at 02:00' }),
    timezone: z.string(),
    past: z.array(daySchema),
    ahead: z.array(daySchema),
    changes: z.array(
      z.object({ day: z.iso.date(), minutes: z.number(), runAt: z.string().nullable() }),
    ),
  })
  .openapi('Schedule');

const params = z.object({ id: z.string() });

function showRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/integrations/{id}/schedule',
    tags: ['Schedule'],
    summary: 'Show when an integration runs by itself, and when it ran',
    description: 'The last 30 days and the next 30, in its own time zone, and where clocks change.',
    middleware: [requireRole('viewer')] as const,
    request: { params },
    responses: {
      200: { description: 'The schedule.', ...json(scheduleSchema) },
      ...problems.access,
      ...problems.notFound,
    },
  });
}

function changeRoute({ requireRole }: Access) {
  return createRoute({
    method: 'post',
    path: '/v1/integrations/{id}/schedule/{change}',
    tags: ['Schedule'],
    summary: 'Pause or resume the schedule of an integration',
    description: 'For admins. A run that goes on goes on.',
    middleware: [requireRole('admin')] as const,
    request: { params: params.extend({ change: z.enum(['pause', 'resume']) }) },
    responses: {
      200: { description: 'The schedule.', ...json(scheduleSchema) },
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
    },
  });
}

/** Throws a ConfigurationError if the integration has no schedule. */
export async function changeSchedule(
  { application, clock }: Pick<HttpDeps, 'application' | 'clock'>,
  integration: Integration,
  change: 'pause' | 'resume',
  by: Actor,
): Promise<void> {
  if (!isScheduled(integration)) {
    throw new ConfigurationError(`"${integration.id}" has no schedule to ${change}.`, {
      code: 'schedule_missing',
      details: { integration: integration.id },
    });
  }
  const deps = { store: application.store.actingAs(by), clock };
  await (change === 'pause' ? pauseSchedule : resumeSchedule)(deps, integration);
}

/** The routes about schedules. */
export function scheduleRoutes(deps: HttpDeps, access: Access) {
  const { application } = deps;
  const { store } = application;
  return createRouter()
    .openapi(showRoute(access), async (c) => {
      const integration = findIntegration(c, application, c.req.valid('param').id);
      return c.json(await readSchedule(store.reader, integration), 200);
    })
    .openapi(changeRoute(access), async (c) => {
      const { id, change } = c.req.valid('param');
      const integration = findIntegration(c, application, id);
      await changeSchedule(deps, integration, change, c.get('actor'));
      return c.json(await readSchedule(store.reader, integration), 200);
    });
}
