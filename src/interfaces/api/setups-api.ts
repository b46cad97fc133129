/** GET /v1/setups and /v1/setups/:id: which clients are being set up in a browser, without what was answered. */
import { createRoute, z } from '@hono/zod-openapi';
import { findSetup, listSetups, type Setup } from '../../clients/setup/draft.ts';
import { nextStep, SETUP_STEPS } from '../../clients/setup/steps.ts';
import { isoTime } from '../../core/clock.ts';
import type { Access } from './access.ts';
import { filterAccessible, hasAccess } from './request/client-access.ts';
import type { HttpDeps } from './request/context.ts';
import { HttpError } from './request/errors.ts';
import { createRouter, json, problems } from './request/router.ts';

const stepSchema = z.enum(SETUP_STEPS);

const setupSchema = z
  .object({
    id: z.string().openapi({ description: 'The id that the integration has, or will have.' }),
    name: z.string().nullable(),
    isNew: z.boolean().openapi({ description: 'False where an integration is being changed.' }),
    crm: z
      .string()
      .nullable()
      .openapi({ description: 'The kind of CRM; null before it is chosen.' }),
    done: z.array(stepSchema),
    next: stepSchema.openapi({ description: 'Where the set-up goes on: /setup/ID/STEP.' }),
    trialRun: z.string().nullable().openapi({ description: 'The run that tries it on a few.' }),
    updatedAt: z.iso.datetime(),
  })
  .openapi('Setup');

function listRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/setups',
    tags: ['Integrations'],
    summary: 'List the set-ups that are not finished',
    description: 'For admins. What was answered is sealed, and no part of this.',
    middleware: [requireRole('admin')] as const,
    responses: {
      200: {
        description: 'The latest first.',
        ...json(z.object({ setups: z.array(setupSchema) })),
      },
      ...problems.access,
    },
  });
}

function showRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/setups/{id}',
    tags: ['Integrations'],
    summary: 'Show a set-up that is not finished',
    description: 'For admins.',
    middleware: [requireRole('admin')] as const,
    request: { params: z.object({ id: z.string() }) },
    responses: {
      200: { description: 'The set-up.', ...json(z.object({ setup: setupSchema })) },
      ...problems.access,
      ...problems.notFound,
    },
  });
}

/** The routes that show set-ups. */
export function setupListRoutes({ application }: HttpDeps, access: Access) {
  return createRouter()
    .openapi(listRoute(access), async (c) => {
      const setups = filterAccessible(c, await listSetups(application), ({ id }) => id);
      return c.json({ setups: setups.map(toView) }, 200);
    })
    .openapi(showRoute(access), async (c) => {
      const { id } = c.req.valid('param');
      const setup = hasAccess(c, id) ? await findSetup(application, id) : null;
      if (setup !== null) return c.json({ setup: toView(setup) }, 200);
      throw new HttpError(404, 'setup_unknown', `There is no set-up of "${id}".`);
    });
}

function toView(setup: Setup): z.infer<typeof setupSchema> {
  const { id, answers, isNew, done, trialRun, updatedAt } = setup;
  return {
    id,
    name: answers.name ?? null,
    isNew,
    crm: answers.crm?.kind ?? null,
    done,
    next: nextStep(setup),
    trialRun,
    updatedAt: isoTime(updatedAt),
  };
}
