/** GET /v1/holds and POST /v1/holds/:id/:decision: what waits for a person, and the decisions. */
import { createRoute, z } from '@hono/zod-openapi';
import {
  type AnyHold,
  DECIDED,
  decideHold,
  decisionsFor,
  HOLD_DECISIONS,
  listOpenHolds,
  reasonText,
} from '../application/holds.ts';
import { isoTime } from '../core/clock.ts';
import type { Access } from './access.ts';
import type { HttpDeps } from './context.ts';
import { findDecidableHold } from './decidable-hold.ts';
import { findIntegration } from './find-integration.ts';
import { HttpError } from './http-error.ts';
import {
  accessErrors,
  createRouter,
  failure,
  invalidError,
  json,
  notFoundError,
} from './router.ts';

const holdSchema = z
  .object({
    id: z.string(),
    integration: z.string(),
    contact: z.string().nullable().openapi({
      description: "The contact's id in the CRM; null for the hold of a network.",
    }),
    network: z.string().nullable().openapi({ description: 'The name of the network, or null.' }),
    kind: z.string().openapi({ example: 'name_mismatch' }),
    detail: z.string().nullable().openapi({ description: 'What was found, for the kind.' }),
    reason: z.string().openapi({ description: 'Why it is held, in words.' }),
    decisions: z.array(z.enum(HOLD_DECISIONS)).openapi({ description: 'What may be decided.' }),
    since: z.iso.datetime(),
    decision: z.enum(['approved', 'rejected', 'resubmitted', 'superseded']).nullable(),
  })
  .openapi('Hold');

function listRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/holds',
    tags: ['Holds'],
    summary: 'List what waits for a person, the oldest first',
    description: 'Names are in nobody’s database: `donor-sync holds --show` asks for them.',
    middleware: [requireRole('viewer')] as const,
    request: { query: z.object({ integration: z.string().optional() }) },
    responses: {
      200: { description: 'The open holds.', ...json(z.object({ holds: z.array(holdSchema) })) },
      ...{ ...accessErrors, ...notFoundError, ...invalidError },
    },
  });
}

function decideRoute({ requireRole }: Access) {
  return createRoute({
    method: 'post',
    path: '/v1/holds/{id}/{decision}',
    tags: ['Holds'],
    summary: 'Decide a hold',
    description:
      'For admins, and only what `decisions` of the hold allows. `approve`: the profile is this contact’s, or the network may change; the next run does it. `reject`: the contact or the network is left alone. `resubmit`: the next run asks the service again, for another credit.',
    middleware: [requireRole('admin')] as const,
    request: { params: z.object({ id: z.string(), decision: z.enum(HOLD_DECISIONS) }) },
    responses: {
      200: { description: 'Decided.', ...json(z.object({ hold: holdSchema })) },
      ...{ ...accessErrors, ...notFoundError, ...invalidError },
      409: failure('It was decided before, or cannot be decided like that.'),
    },
  });
}

/** The routes of what waits for a person. */
export function holdRoutes({ application }: HttpDeps, access: Access) {
  const { store } = application;
  return createRouter()
    .openapi(listRoute(access), async (c) => {
      const { integration } = c.req.valid('query');
      if (integration !== undefined) findIntegration(application, integration);
      const open = await listOpenHolds(store, integration);
      return c.json({ holds: open.map(describeHold) }, 200);
    })
    .openapi(decideRoute(access), async (c) => {
      const { id, decision } = c.req.valid('param');
      const hold = await findDecidableHold(store, id, decision);
      if (!(await decideHold(store, hold, decision))) throw decidedBefore();
      return c.json({ hold: { ...describeHold(hold), decision: DECIDED[decision] } }, 200);
    });
}

function describeHold(hold: AnyHold): z.infer<typeof holdSchema> {
  const { id, integration_id: integration, kind, detail, opened_at, decision } = hold.row;
  return {
    ...{ id, integration, kind, detail, decision },
    contact: hold.about === 'contact' ? hold.row.crm_id : null,
    network: hold.about === 'network' ? hold.row.name : null,
    reason: reasonText(hold),
    decisions: [...decisionsFor(hold)],
    since: isoTime(opened_at),
  };
}

function decidedBefore(): HttpError {
  return new HttpError(409, 'hold_decided', 'Somebody has decided this hold already.');
}
