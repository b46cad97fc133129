/** GET /v1/holds and POST /v1/holds/:id/:decision: what waits for a person, and the decisions. */
import { createRoute, z } from '@hono/zod-openapi';
import {
  DECIDED,
  type DecidedBatch,
  decideBatch,
  decideHold,
} from '../application/decide-holds.ts';
import { CHANGED_PARTS } from '../identity/identity-text.ts';
import type { HoldBatch } from '../store/holds/hold-batches.ts';
import type { Store } from '../store/store.ts';
import {
  type AnyHold,
  BATCH_DECISIONS,
  type BatchDecisionWord,
  type DecisionWord,
  decisionsFor,
  describeBatch,
  describeHold,
  findHold,
  HOLD_DECISIONS,
  type HoldStore,
  listOpenHolds,
} from '../views/hold.ts';
import type { Access } from './access.ts';
import type { HttpDeps } from './request/context.ts';
import { HttpError } from './request/errors.ts';
import { createRouter, failure, findIntegration, json, problems } from './request/router.ts';

const holdSchema = z
  .object({
    id: z.string(),
    integration: z.string(),
    contact: z.string().nullable().openapi({
      description: "The contact's id in the CRM; null for the hold of a network.",
    }),
    network: z.string().nullable().openapi({ description: 'The name of the network, or null.' }),
    batch: z.string().nullable().openapi({
      description: 'Holds of one cause share it, and can be decided together; null for one alone.',
    }),
    kind: z.string().openapi({ example: 'name_mismatch' }),
    detail: z.string().nullable().openapi({ description: 'What was found, for the kind.' }),
    reason: z.string().openapi({ description: 'Why it is held, in words.' }),
    decisions: z.array(z.enum(HOLD_DECISIONS)).openapi({ description: 'What may be decided.' }),
    since: z.iso.datetime(),
    decision: z.enum(['approved', 'rejected', 'resubmitted', 'superseded']).nullable(),
  })
  .openapi('Hold');

const batchSchema = z
  .object({
    id: z.string(),
    integration: z.string(),
    count: z.int().openapi({ description: 'Contacts that wait for the decision.' }),
    parts: z.partialRecord(z.enum(CHANGED_PARTS), z.int()).openapi({
      description:
        'How many of them changed in each part; one that changed in two counts in both. `unknown` where an older version did not note it.',
      example: { addresses: 400, employers: 12 },
    }),
    credits: z.int().openapi({ description: 'What it would cost at most to approve it.' }),
    since: z.iso.datetime(),
  })
  .openapi('HoldBatch');

const decidedBatchSchema = z
  .object({
    id: z.string(),
    integration: z.string(),
    decision: z.enum(['approved', 'rejected']),
    count: z
      .int()
      .openapi({ description: 'Contacts that this decision was about, without those before.' }),
    credits: z.int().openapi({ description: 'What the next run spends on it at most.' }),
  })
  .openapi('DecidedHoldBatch');

function listRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/holds',
    tags: ['Holds'],
    summary: 'List what waits for a person, the oldest first',
    description: 'No names are stored: `donor-sync holds --show` asks for them.',
    middleware: [requireRole('viewer')] as const,
    request: { query: z.object({ integration: z.string().optional() }) },
    responses: {
      200: {
        description: 'The open holds, and the batches that they belong to.',
        ...json(z.object({ holds: z.array(holdSchema), batches: z.array(batchSchema) })),
      },
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
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
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
      409: failure('It was decided before, or cannot be decided like that.'),
    },
  });
}

function decideBatchRoute({ requireRole }: Access) {
  return createRoute({
    method: 'post',
    path: '/v1/holds/batches/{id}/{decision}',
    tags: ['Holds'],
    summary: 'Decide all contacts of a batch',
    description:
      'For admins. The details of many contacts changed at once. `approve`: the next run asks the service about them again, for a credit each. `reject`: they are the same people still, and no credit is spent. A request that was cut off is repeated: it goes on with what is still open.',
    middleware: [requireRole('admin')] as const,
    request: { params: z.object({ id: z.string(), decision: z.enum(BATCH_DECISIONS) }) },
    responses: {
      200: { description: 'Decided.', ...json(z.object({ batch: decidedBatchSchema })) },
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
      409: failure('All of it was decided before.'),
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
      const batches = await store.holds.listBatches(integration);
      return c.json({ holds: open.map(describeHold), batches: batches.map(describeBatch) }, 200);
    })
    .openapi(decideBatchRoute(access), async (c) => {
      const { id, decision } = c.req.valid('param');
      const acting = store.actingAs(c.get('actor'));
      return c.json({ batch: await decideOpenBatch(acting, id, decision) }, 200);
    })
    .openapi(decideRoute(access), async (c) => {
      const { id, decision } = c.req.valid('param');
      const hold = await findDecidableHold(store, id, decision);
      if (!(await decideHold(store.actingAs(c.get('actor')), hold, decision))) {
        throw new HttpError(409, 'hold_decided', 'This hold was decided already.');
      }
      return c.json({ hold: { ...describeHold(hold), decision: DECIDED[decision] } }, 200);
    });
}

/**
 * The hold with this id, for a decision about it. Throws an HttpError: 404 if there is none, 409 if
 * the decision makes no sense for it.
 */
export async function findDecidableHold(
  store: HoldStore,
  id: string,
  word: DecisionWord,
): Promise<AnyHold> {
  const hold = await findHold(store, id);
  if (hold === null) throw new HttpError(404, 'hold_unknown', `There is no hold "${id}".`);
  if (decisionsFor(hold).includes(word)) return hold;
  throw hold.row.kind === 'lost_answer' ? withoutProfile() : notDecidable(hold);
}

/** Approving writes the profile that is there; after a lost answer there is none. */
function withoutProfile(): HttpError {
  return new HttpError(
    409,
    'hold_without_profile',
    'The answer was lost, so there is no profile to approve. Resubmit the contact or reject it.',
  );
}

function notDecidable(hold: AnyHold): HttpError {
  const words = decisionsFor(hold).join(', ');
  const message = `This hold cannot be decided like that; it takes: ${words}.`;
  return new HttpError(409, 'hold_not_decidable', message);
}

type BatchStore = {
  holds: Pick<Store['holds'], 'listBatches' | 'findBatchIntegration' | 'decideBatch'>;
};

/** The open batch with this id. Throws an HttpError: 404 if there is none, 409 if it is decided. */
export async function findOpenBatch({ holds }: BatchStore, id: string): Promise<HoldBatch> {
  const batch = (await holds.listBatches()).find((one) => one.id === id);
  if (batch) return batch;
  throw (await holds.findBatchIntegration(id)) === null
    ? new HttpError(404, 'batch_unknown', `There is no batch "${id}".`)
    : new HttpError(409, 'batch_decided', 'All contacts of this batch are decided already.');
}

/** Decides what is still open of the batch with this id. Throws as `findOpenBatch`. */
export async function decideOpenBatch(
  store: BatchStore,
  id: string,
  word: BatchDecisionWord,
): Promise<DecidedBatch> {
  return decideBatch(store, await findOpenBatch(store, id), word);
}
