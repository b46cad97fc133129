/** GET /v1/approvals and POST /v1/approvals/:id/:answer: what waits for a second person, and the answers. */

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { isConfigurationError } from '../../core/errors.ts';
import { mayActAs } from '../../core/role.ts';
import { type Asked, askSecondPerson } from '../../decisions/second-person/ask.ts';
import { confirmApproval, refuseApproval } from '../../decisions/second-person/confirm.ts';
import type { ApprovalRecord } from '../../decisions/statements/approvals.ts';
import { expireApprovals } from '../../decisions/statements/approvals.ts';
import {
  approvalSchema,
  describeApproval,
  listApprovals,
  roleFor,
} from '../../decisions/views/approval.ts';
import type { Access } from './access.ts';
import { getRequester } from './request/caller.ts';
import { canAccessApproval, findApproval } from './request/client-access.ts';
import type { HttpDeps, HttpEnv } from './request/context.ts';
import { HttpError } from './request/errors.ts';
import { createRouter, failure, json, problems } from './request/router.ts';

const answerSchema = z.object({ approval: approvalSchema });

function listRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/approvals',
    tags: ['Approvals'],
    summary: 'List what waits for a second person, the oldest first',
    description:
      'Mass approvals, `undo` and `forget --everywhere`, as `twoPeople` of the settings says. Nothing of it is done before another person than the one who asked confirms it, and it runs out after seven days.',
    middleware: [requireRole('viewer')] as const,
    responses: {
      200: {
        description: 'What waits, or is being carried out.',
        ...json(z.object({ approvals: z.array(approvalSchema) })),
      },
      ...problems.access,
    },
  });
}

function answerRoute(
  { requireRole }: Access,
  answer: 'confirm' | 'refuse',
  { summary, description }: { summary: string; description: string },
) {
  return createRoute({
    method: 'post',
    path: `/v1/approvals/{id}/${answer}`,
    tags: ['Approvals'],
    summary,
    description,
    middleware: [requireRole('decider')] as const,
    request: { params: z.object({ id: z.string() }) },
    responses: {
      200: { description: 'As it stands now.', ...json(answerSchema) },
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
      409: failure('The same person, or not any more what was asked for.'),
    },
  });
}

const CONFIRM = {
  summary: 'Confirm what another person has asked for',
  description:
    'For deciders; `undo` and `forget` for admins. Another person or token than the one who asked, and one that was there before. Exactly what was asked for is done: if any of it was decided, is gone or was added meanwhile, nothing is. Decisions count at once; `undo` and `forget` are carried out afterwards.',
};
const REFUSE = {
  summary: 'Take away what waits for a second person',
  description:
    'For deciders; `undo` and `forget` for admins. Also one’s own. Nothing of it is done.',
};

/** The routes of what waits for a second person. */
export function approvalRoutes(deps: HttpDeps, access: Access) {
  const { store } = deps.application;
  return createRouter()
    .openapi(listRoute(access), async (c) => {
      const approvals = await listApprovals(store);
      const known = approvals.filter((one) => canAccessApproval(c, one));
      return c.json({ approvals: known.map(describeApproval) }, 200);
    })
    .openapi(answerRoute(access, 'confirm', CONFIRM), async (c) => {
      const approval = await confirmAccessible(c, deps, c.req.valid('param').id);
      return c.json({ approval: { ...describeApproval(approval), state: toState(approval) } }, 200);
    })
    .openapi(answerRoute(access, 'refuse', REFUSE), async (c) => {
      const approval = await refuseAccessible(c, deps, c.req.valid('param').id);
      return c.json(
        { approval: { ...describeApproval(approval), state: 'refused' as const } },
        200,
      );
    });
}

/** A decision is done with its confirmation; anything else is carried out by the service. */
function toState({ request }: ApprovalRecord) {
  return request.what === 'decide' ? ('done' as const) : ('confirmed' as const);
}

/** Confirms for who asks. Throws an HttpError: 403, 404, or 409 with the reason. */
export async function confirmAccessible(
  c: Context<HttpEnv>,
  { application, carryOn }: HttpDeps,
  id: string,
): Promise<ApprovalRecord> {
  const approval = await findAnswerable(c, application, id);
  await asConflict(() => confirmApproval({ application }, approval, getRequester(c)));
  if (approval.request.what !== 'decide') carryOn?.();
  return approval;
}

/** The same for refusing. */
export async function refuseAccessible(
  c: Context<HttpEnv>,
  { application }: HttpDeps,
  id: string,
): Promise<ApprovalRecord> {
  const approval = await findAnswerable(c, application, id);
  await asConflict(() => refuseApproval({ application }, approval, getRequester(c)));
  return approval;
}

/** What waits now because of who asks; null if nothing has to. Throws an HttpError (409) for one without an account. */
export function waitForSecondPerson(
  c: Context<HttpEnv>,
  application: HttpDeps['application'],
  asked: Asked,
): Promise<ApprovalRecord | null> {
  return asConflict(() => askSecondPerson({ application }, getRequester(c), asked));
}

async function findAnswerable(
  c: Context<HttpEnv>,
  { store }: HttpDeps['application'],
  id: string,
): Promise<ApprovalRecord> {
  await expireApprovals(store);
  const approval = await findApproval(c, store, id);
  const { role } = c.get('principal');
  const needed = roleFor(approval);
  if (mayActAs(role, needed)) return approval;
  const message = `This needs the role ${needed}, and yours is ${role}.`;
  throw new HttpError(403, 'role_insufficient', message, { details: { needed, role } });
}

/** What cannot be confirmed is a conflict, not a mistake in the question. */
async function asConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isConfigurationError(error)) throw new HttpError(409, error.code, error.message);
    throw error;
  }
}
