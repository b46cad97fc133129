/** GET /v1/holds and POST /v1/holds/:id/:decision: what waits for a person, and the decisions. */
import { createRoute, z } from '@hono/zod-openapi';
import { isoTime } from '../core/clock.ts';
import type { HoldDecision, HoldRow } from '../store/holds.ts';
import type { Access } from './access.ts';
import type { HttpDeps } from './context.ts';
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

const decisionSchema = z.enum(['approve', 'reject', 'resubmit']);

const DECISION_OF = {
  approve: 'approved',
  reject: 'rejected',
  resubmit: 'resubmitted',
} as const satisfies Record<z.infer<typeof decisionSchema>, HoldDecision>;

const holdSchema = z
  .object({
    id: z.string(),
    integration: z.string(),
    contact: z.string().openapi({ description: "The contact's id in the CRM." }),
    kind: z.enum(['name_mismatch', 'lost_answer']),
    detail: z.string().nullable().openapi({ description: 'What was found, for the kind.' }),
    since: z.iso.datetime(),
    decision: z.enum(['approved', 'rejected', 'resubmitted']).nullable(),
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
      'For admins. `approve`: the profile is this contact’s, the next run writes it. `reject`: it is somebody else’s, the contact is left alone. `resubmit`: the next run asks the service again, for another credit.',
    middleware: [requireRole('admin')] as const,
    request: { params: z.object({ id: z.string(), decision: decisionSchema }) },
    responses: {
      200: { description: 'Decided.', ...json(z.object({ hold: holdSchema })) },
      ...{ ...accessErrors, ...notFoundError, ...invalidError },
      409: failure('It was decided before, or has no profile that could be approved.'),
    },
  });
}

/** The routes of what waits for a person. */
export function holdRoutes({ application }: HttpDeps, access: Access) {
  const { holds } = application.store;
  return createRouter()
    .openapi(listRoute(access), async (c) => {
      const { integration } = c.req.valid('query');
      if (integration !== undefined) findIntegration(application, integration);
      const rows = await holds.listOpen(integration);
      return c.json({ holds: rows.map(describeHold) }, 200);
    })
    .openapi(decideRoute(access), async (c) => {
      const { id, decision: word } = c.req.valid('param');
      const hold = await holds.find(id);
      if (!hold) throw new HttpError(404, 'hold_unknown', `There is no hold "${id}".`);
      if (word === 'approve' && hold.kind === 'lost_answer') throw withoutProfile();
      const decision = DECISION_OF[word];
      if (!(await holds.decide(hold, decision))) throw decidedBefore();
      return c.json({ hold: describeHold({ ...hold, decision }) }, 200);
    });
}

function describeHold(row: HoldRow): z.infer<typeof holdSchema> {
  return holdSchema.parse({
    id: row.id,
    integration: row.integration_id,
    contact: row.crm_id,
    kind: row.kind,
    detail: row.detail,
    since: isoTime(row.opened_at),
    decision: row.decision,
  });
}

/** Approving writes the profile that is there; after a lost answer there is none. */
function withoutProfile(): HttpError {
  return new HttpError(
    409,
    'hold_without_profile',
    'The answer was lost, so there is no profile to approve. Resubmit the contact or reject it.',
  );
}

function decidedBefore(): HttpError {
  return new HttpError(409, 'hold_decided', 'Somebody has decided this hold already.');
}
