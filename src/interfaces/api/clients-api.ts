import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  CLIENT_FILTERS,
  type ClientReader,
  isNamed,
  isShown,
} from '../../clients/views/clients.ts';
import { findResults } from '../../clients/views/find.ts';
import { getPage } from '../../core/cursor.ts';
import { mayActAs } from '../../core/role.ts';
import { clientScheduleSchema } from '../../operations/client-shape.ts';
import { AREAS, type Area } from '../pages/frame/areas.ts';
import type { Access } from './access.ts';
import { hasAccess, listAccessible } from './request/client-access.ts';
import type { HttpDeps, HttpEnv } from './request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, requireJsonBody } from './request/guards.ts';
import { createRouter, json, problems } from './request/router.ts';

const MAX_PAGE = 100;
const DEFAULT_PAGE = 25;

const querySchema = z.object({
  show: z.enum(CLIENT_FILTERS).default('all').openapi({
    description: '`needs`: clients that need your attention, or have pending decisions.',
  }),
  crm: z.string().optional().openapi({ description: 'Only this kind of CRM.' }),
  q: z.string().default('').openapi({ description: 'Part of the name or the ID.' }),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z
    .string()
    .optional()
    .openapi({ description: 'The value of `next` on the previous page.' }),
});

const clientSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    crm: z.string().openapi({ description: 'The kind of CRM.', example: 'salesforce' }),
    standing: z.enum(['syncing', 'queued', 'well', 'new', 'stopped', 'stuck', 'failed']).openapi({
      description:
        '`stopped` continues automatically, `stuck` once someone has acted; `failed` is an unexpected error.',
    }),
    problem: z
      .object({ run: z.string(), code: z.string().nullable(), message: z.string() })
      .nullable()
      .openapi({ description: "The last run's error; null if it succeeded." }),
    run: z.string().nullable().openapi({ description: 'The run that is in progress or queued.' }),
    decisions: z.int().openapi({ description: 'Number of pending decisions.' }),
    lastSuccessAt: z.iso.datetime().nullable(),
    schedule: clientScheduleSchema.nullable(),
    month: z.object({ spent: z.int(), budget: z.int().nullable() }).openapi({
      description: "Credits for enhancements in this month of the client's time zone.",
    }),
    nights: z
      .array(
        z.object({
          day: z.iso.date(),
          run: z.string().nullable(),
          status: z.enum(['running', 'succeeded', 'incomplete', 'failed']).nullable(),
          reason: z.string().nullable(),
          runs: z.int(),
          spent: z.int(),
        }),
      )
      .openapi({
        description:
          "The last 14 nights in the client's time zone, from noon to noon, the oldest first. `day` is the day on which the night ends, `run` the last run over all contacts that started in it.",
      }),
  })
  .openapi('Client');

function listRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/clients',
    tags: ['Integrations'],
    summary: 'List the clients as the home page shows them',
    middleware: [requireRole('viewer')] as const,
    request: { query: querySchema },
    responses: {
      200: {
        description: 'A page of clients.',
        ...json(
          z
            .object({
              clients: z.array(clientSchema),
              found: z.int().openapi({ description: 'The number of clients on all pages.' }),
              next: z.string().nullable(),
            })
            .openapi('ClientPage'),
        ),
      },
      ...problems.access,
      ...problems.invalid,
    },
  });
}

export function clientRoutes({ application }: HttpDeps, access: Access, clients: ClientReader) {
  return createRouter().openapi(listRoute(access), async (c) => {
    const { show, crm, q, limit, cursor } = c.req.valid('query');
    const integrations = listAccessible(c, application);
    const all = await clients.briefs(integrations);
    const found = all.filter(
      (one) => isShown(one, show) && isNamed(one, q) && (crm === undefined || one.crm === crm),
    );
    const { page, next } = getPage(found, { cursor, limit });
    const shown = await clients.rows(page, integrations);
    return c.json(
      {
        clients: shown.map(({ problem, paused: _, ...client }) => ({
          ...client,
          problem: problem && {
            run: problem.runId,
            code: problem.code,
            message: problem.message,
          },
        })),
        found: found.length,
        next,
      },
      200,
    );
  });
}

const placeSchema = z
  .object({
    kind: z.enum(['page', 'client', 'run']),
    label: z.string(),
    detail: z.string().nullable(),
    href: z.string(),
  })
  .openapi('Place');

const FIND = {
  path: '/v1/find' as const,
  tags: ['Integrations'],
  summary: 'Find pages, clients and runs by a few letters',
};

const wordsSchema = z.object({ q: z.string().max(200).default('') });

const FOUND = {
  200: {
    description: 'About twenty results at most.',
    ...json(z.object({ places: z.array(placeSchema) })),
  },
  ...problems.access,
  ...problems.invalid,
};

function findRoute(access: Access) {
  return createRoute({
    ...FIND,
    method: 'get',
    middleware: [access.requireRole('viewer')] as const,
    responses: FOUND,
    description:
      'Runs are found by the start of their ID. Contacts are not found here, because their names are not stored.',
    request: { query: wordsSchema },
  });
}

/**
 * A search route that expects the text in the body. Users type contacts' names, and an address must not contain names.
 */
function findByBodyRoute(access: Access) {
  return createRoute({
    ...FIND,
    method: 'post',
    middleware: [
      access.requireRole('viewer'),
      requireJsonBody,
      limitBody(MAX_API_BODY_BYTES),
    ] as const,
    responses: { ...FOUND, ...problems.body },
    description: 'The same search, with the letters in the body, as the pages send them.',
    request: { body: { ...json(wordsSchema), required: false } },
  });
}

export function findRoutes({ application }: HttpDeps, access: Access, clients: ClientReader) {
  const app = createRouter();
  app.openapi(findRoute(access), async (c) => c.json(await find(c, c.req.valid('query').q), 200));
  app.openapi(findByBodyRoute(access), async (c) => {
    const { q = '' } = c.req.valid('json');
    return c.json(await find(c, q), 200);
  });
  return app;

  async function find(c: Context<HttpEnv>, words: string) {
    const areas: readonly Area[] = AREAS;
    const places = await findResults(
      {
        reader: application.store.reader,
        pages: areas.filter(({ role = 'viewer' }) => mayActAs(c.var.principal.role, role)),
        clients: await clients.briefs(listAccessible(c, application)),
        reaches: (id) => hasAccess(c, id),
      },
      words,
    );
    return { places };
  }
}
