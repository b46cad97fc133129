/** GET /v1/holds and POST /v1/holds/:id/:decision: what waits for a person, and the decisions. */

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Reader } from '../../database/reader.ts';
import {
  DECIDED,
  decideBatch,
  decideQuestion,
  requireBatchDecision,
} from '../../decisions/decide.ts';
import {
  approvalOfBatch,
  askSecondPerson,
  toApprovalRequest,
} from '../../decisions/second-person/ask.ts';
import type { WorkRequest } from '../../decisions/statements/approvals.ts';
import { listBatches } from '../../decisions/statements/batches.ts';
import type { Question } from '../../decisions/statements/questions.ts';
import { approvalSchema, describeApproval } from '../../decisions/views/approval.ts';
import { BATCH_DECISIONS } from '../../decisions/views/batch-kinds.ts';
import { readQueue } from '../../decisions/views/decision-queue.ts';
import { type DecisionWord, HOLD_DECISIONS } from '../../decisions/views/kinds.ts';
import {
  decisionsFor,
  describeBatch,
  describeQuestion,
  listCountedQuestions,
  refusalText,
} from '../../decisions/views/question.ts';
import { CHANGED_PARTS } from '../../identity/identity-text.ts';
import type { Access } from './access.ts';
import { getRequester } from './request/caller.ts';
import {
  filterAccessible,
  findAccessibleHold,
  findIntegration,
  findOpenBatch,
  listAccessible,
} from './request/client-access.ts';
import type { HttpDeps, HttpEnv } from './request/context.ts';
import { HttpError } from './request/errors.ts';
import {
  createRouter,
  failure,
  json,
  problems,
  readCursor,
  writeCursor,
} from './request/router.ts';

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
    kind: z
      .enum(['identity_mass_change', 'contacts_missing', 'mass_opt_out', 'erasure_requested'])
      .openapi({
        description:
          'Changed details, contacts that are missing from the CRM, contacts that were marked as opted out, or contacts that the CRM asks to erase.',
      }),
    reason: z.string().openapi({ description: 'Why they are held, in whole sentences.' }),
    count: z.int().openapi({ description: 'Contacts that wait for the decision.' }),
    parts: z.partialRecord(z.enum(CHANGED_PARTS), z.int()).openapi({
      description:
        'How many of them changed in each part; one that changed in two counts in both. `unknown` where that is not on record.',
      example: { addresses: 400, employers: 12 },
    }),
    decisions: z.array(z.enum(BATCH_DECISIONS)).openapi({
      description:
        'The possible answers. `approve` is missing if a privacy hold of the CRM forbids an erasure.',
    }),
    credits: z.int().openapi({ description: 'What it would cost at most to approve it.' }),
    since: z.iso.datetime(),
  })
  .openapi('QuestionBatch');

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

const decisionSchema = z
  .object({
    id: z.string().openapi({ description: 'Of the hold, or of the batch.' }),
    about: z.enum(['contact', 'network', 'batch']),
    subject: z.string().openapi({
      description: 'The id in the CRM, the name of the network, or how many contacts.',
    }),
    integration: z.object({ id: z.string(), name: z.string() }),
    reason: z.string().openapi({ example: 'name_mismatch' }),
    why: z.string().openapi({ description: 'A whole sentence.' }),
    since: z.iso.datetime(),
  })
  .openapi('Decision');

const queueSchema = z
  .object({
    total: z.int().openapi({ description: 'Contacts that are decided together are one.' }),
    clients: z.array(z.object({ id: z.string(), name: z.string(), count: z.int() })),
    reasons: z.array(z.object({ reason: z.string(), name: z.string(), count: z.int() })),
    decisions: z.array(decisionSchema),
    next: z.string().nullable().openapi({ description: 'For `after`; null on the last page.' }),
  })
  .openapi('DecisionQueue');

function queueRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/decisions',
    tags: ['Holds'],
    summary: 'The queue of what waits for a person, in pages, counted by client and reason',
    description:
      'What was decided in a page and can still be taken back is not in it. No names of contacts.',
    middleware: [requireRole('viewer')] as const,
    request: {
      query: z.object({
        client: z.string().optional(),
        reason: z.string().optional(),
        order: z.enum(['oldest', 'newest']).optional(),
        after: z.string().optional(),
      }),
    },
    responses: {
      200: { description: 'A page of the queue.', ...json(queueSchema) },
      ...problems.access,
      ...problems.invalid,
    },
  });
}

const waiting = {
  description:
    'It waits for a second person (`twoPeople` of the settings), and nothing is decided.',
  ...json(z.object({ approval: approvalSchema })),
};

function decideRoute({ requireRole }: Access) {
  return createRoute({
    method: 'post',
    path: '/v1/holds/{id}/{decision}',
    tags: ['Holds'],
    summary: 'Decide a hold',
    description:
      'For deciders, and only what `decisions` of the hold allows. `approve`: the profile is this contact’s, or the network may change; the next run does it. `reject`: the contact or the network is left alone. `resubmit`: the next run asks the service again, for another credit.',
    middleware: [requireRole('decider')] as const,
    request: { params: z.object({ id: z.string(), decision: z.enum(HOLD_DECISIONS) }) },
    responses: {
      200: { description: 'Decided.', ...json(z.object({ hold: holdSchema })) },
      202: waiting,
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
      'For deciders. The details of many contacts changed at once. `approve`: the next run asks the service about them again, for a credit each. `reject`: they are the same people still, and no credit is spent. A request that was cut off is repeated: it goes on with what is still open.',
    middleware: [requireRole('decider')] as const,
    request: { params: z.object({ id: z.string(), decision: z.enum(BATCH_DECISIONS) }) },
    responses: {
      200: { description: 'Decided.', ...json(z.object({ batch: decidedBatchSchema })) },
      202: waiting,
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
      if (integration !== undefined) findIntegration(c, application, integration);
      const open = filterAccessible(
        c,
        await listCountedQuestions(store.reader, integration),
        ({ integrationId }) => integrationId,
      );
      const batches = filterAccessible(
        c,
        await listBatches(store.reader, integration),
        ({ integrationId }) => integrationId,
      );
      return c.json(
        { holds: open.map(describeQuestion), batches: batches.map(describeBatch) },
        200,
      );
    })
    .openapi(queueRoute(access), async (c) => {
      const { client = null, reason = null, order = 'oldest', after } = c.req.valid('query');
      const queue = await readQueue(store.reader, listAccessible(c, application), {
        client,
        reason,
        order,
        after: after === undefined ? null : readCursor(after),
      });
      const { items, next, ...counts } = queue;
      const decisions = items.map(({ name: _, place: __, ...item }) => item);
      return c.json(
        { ...counts, decisions, next: next === null ? null : writeCursor([...next]) },
        200,
      );
    })
    .openapi(decideBatchRoute(access), async (c) => {
      const { id, decision } = c.req.valid('param');
      const batch = await findOpenBatch(c, store.reader, id);
      requireBatchDecision(batch, decision);
      const approval = await waitIfMany(c, approvalOfBatch(decision, batch), batch.integrationId);
      if (approval !== null) return c.json({ approval }, 202);
      const acting = store.actingAs(c.get('actor'));
      return c.json({ batch: await decideBatch(acting.act, batch, decision) }, 200);
    })
    .openapi(decideRoute(access), async (c) => {
      const { id, decision } = c.req.valid('param');
      const hold = await findDecidableHold(c, store.reader, id, decision);
      const approval = await waitIfMany(c, toApprovalRequest(decision, [hold]), hold.integrationId);
      if (approval !== null) return c.json({ approval }, 202);
      if (!(await decideQuestion(store.actingAs(c.get('actor')), hold, decision))) {
        throw new HttpError(409, 'hold_decided', 'This hold was decided already.');
      }
      return c.json({ hold: { ...describeQuestion(hold), decision: DECIDED[decision] } }, 200);
    });

  async function waitIfMany(
    c: Context<HttpEnv>,
    request: WorkRequest | null,
    integrationId: string,
  ) {
    const asked = request && { request, integrationId };
    const approval = asked && (await askSecondPerson({ application }, getRequester(c), asked));
    return approval && describeApproval(approval);
  }
}

/**
 * The hold with this id, for a decision about it. Throws an HttpError: 404 if there is none, 409 if
 * the decision makes no sense for it.
 */
export async function findDecidableHold(
  c: Context<HttpEnv>,
  reader: Reader,
  id: string,
  word: DecisionWord,
): Promise<Question> {
  const hold = await findAccessibleHold(c, reader, id);
  const words = decisionsFor(hold);
  if (words.includes(word)) return hold;
  const code = hold.kind === 'lost_answer' ? 'hold_without_profile' : 'hold_not_decidable';
  throw new HttpError(409, code, `${refusalText(hold)} It takes: ${words.join(', ')}.`);
}
