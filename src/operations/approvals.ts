/** Lists the requests that wait for a second user, and confirms or refuses them. */
import { z } from 'zod';
import { ConfigurationError } from '../core/errors.ts';
import { didYouMean } from '../core/near-miss.ts';
import { describeCount, formatTimestamp } from '../core/quantities.ts';
import { personNeeded } from '../core/shared-errors.ts';
import { confirmApproval, refuseApproval } from '../decisions/second-person/confirm.ts';
import {
  type ApprovalRecord,
  expireApprovals,
  findStoredApproval,
} from '../decisions/statements/approvals.ts';
import {
  type ApprovalView,
  approvalSchema,
  describeApproval,
  isApprovalWithin,
  listApprovals,
  roleFor,
} from '../decisions/views/approval.ts';
import { requireRole } from './kit/authorise.ts';
import type { Caller } from './kit/caller.ts';
import { type ActingWorld, acting } from './kit/operation.ts';

const input = z.object({ approval: z.string().describe('The ID of the request') });

const result = z.object({ approval: approvalSchema });

/** Lists the waiting requests. Deletes expired requests, and records an audit entry for each expired request. */
export const listWaitingApprovals = acting({
  name: 'approvals',
  summary: 'List the requests that are waiting for a second user or being carried out',
  details:
    'The settings in `twoPeople` determine which requests have to wait. A waiting request has no effect until another user confirms it, and it expires after seven days.',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({ approvals: z.array(approvalSchema) }),
  async run({ store, ...world }) {
    const approvals = await listApprovals(store);
    return {
      approvals: approvals
        .filter((one) => isApprovalWithin(world.caller.clients, one))
        .map(describeApproval),
    };
  },
  say: ({ approvals }) => `${describeCount(approvals.length, 'request')}.`,
  table: ({ approvals }) => ({
    empty: 'No request is waiting for a second user.',
    headers: ['Request', 'Contacts', 'Credits', 'Asked by', 'Asked', 'Expires', 'State', 'ID'],
    rows: approvals.map((one) => [
      ...[one.text, one.contacts, one.credits, one.askedBy.name ?? one.askedBy.kind],
      { at: one.askedAt },
      formatTimestamp(Date.parse(one.runsOutAt)),
      one.state,
      { id: one.id },
    ]),
  }),
});

const showResult = z.object({
  approval: approvalSchema,
  result: z
    .unknown()
    .describe(
      "The operation's result, as in the response of its route; null until it has been carried out",
    ),
  error: z.object({ code: z.string(), message: z.string() }).nullable().describe('Why it failed'),
  words: z.array(z.string()).describe('What happened, in sentences'),
});

export const showRequest = acting({
  name: 'approvals show',
  summary: 'Show a request and, once it has been carried out, its result',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input,
  subjects: ['approval'],
  result: showResult,
  async run(world, { approval: id }) {
    const found = await findRequest(world, id);
    const approval = describeApproval(found);
    const { request, outcome } = found;
    if (outcome === null) return { approval, result: null, error: null, words: [] };
    requireRole(world.caller, roleFor(found));
    requirePerson(world.caller, found);
    const { result: made, error } = outcome;
    const name = request.what === 'operation' ? request.name : '';
    const words = error === null ? await world.describeResult(name, made) : [error.message];
    return { approval, result: made ?? null, error, words: [...words] };
  },
  say: ({ approval: { text, state }, words }) => [text, STATES[state], ...words],
});

export const STATES: Readonly<Record<ApprovalView['state'], string>> = {
  waiting: 'It is waiting for a second user.',
  confirmed: 'donor-sync is carrying it out, and continues after a restart.',
  done: 'It has been carried out.',
  refused: 'It was refused.',
  failed: 'It could not be carried out.',
};

/** The parts that both kinds of confirmation share. */
export const confirmDeclared = {
  name: 'approvals confirm',
  summary: 'Confirm a request that another user has made',
  details:
    '`undo` and `forget` are for admins, and an access token cannot confirm an erasure. donor-sync does exactly what was requested: it applies decisions at once, and the service does everything else afterwards.',
  role: 'decider',
  reach: 'some',
  by: 'person+token',
  input,
  subjects: ['approval'],
} as const;

export const confirmRequest = acting({
  ...confirmDeclared,
  result,
  async run(world, { approval: id }) {
    const approval = await confirmAnswerable(world, id);
    const isLeft = (await findStoredApproval(world.store, id)) !== undefined;
    if (isLeft) world.carryOn();
    return { approval: withState(approval, isLeft ? 'confirmed' : 'done') };
  },
  say: ({ approval: { text } }) => `Confirmed. ${text}`,
});

/** Confirms the request with this ID, and starts to carry it out. Throws the same errors as `findAnswerable`. */
export async function confirmAnswerable(world: ActingWorld, id: string): Promise<ApprovalRecord> {
  const approval = await findAnswerable(world, id);
  requirePerson(world.caller, approval);
  if (approval.request.what === 'operation') await world.confirm(approval);
  else await confirmApproval({ application: toApplication(world) }, approval, world.caller);
  return approval;
}

export const refuseRequest = acting({
  name: 'approvals refuse',
  summary: 'Refuse a request that is waiting for a second user, even your own',
  details: 'Requesters can refuse their own requests.',
  role: 'decider',
  reach: 'some',
  by: 'person+token',
  input,
  subjects: ['approval'],
  result,
  async run(world, { approval: id }) {
    const approval = await findAnswerable(world, id);
    await refuseApproval({ application: toApplication(world) }, approval, world.caller);
    return { approval: withState(approval, 'refused') };
  },
  say: ({ approval: { text } }) => `The request was refused and is not carried out: ${text}`,
});

export function toApplication({ application, store }: ActingWorld) {
  return { ...application, store };
}

function withState(approval: ApprovalRecord, state: ApprovalView['state']): ApprovalView {
  return { ...describeApproval(approval), state };
}

/**
 * Returns the request with this ID if the caller may answer it. Throws a ConfigurationError: `unknown` if the caller
 * lacks access to one of its clients, and `forbidden` if the caller's role does not allow the requested action.
 */
export async function findAnswerable(
  { store, caller }: Pick<ActingWorld, 'store' | 'caller'>,
  id: string,
): Promise<ApprovalRecord> {
  const approval = await findRequest({ store, caller }, id);
  if (approval.outcome !== null) throw unknownRequest(id);
  requireRole(caller, roleFor(approval));
  return approval;
}

/** Returns the request for any caller who has access to its clients. */
async function findRequest(
  { store, caller }: Pick<ActingWorld, 'store' | 'caller'>,
  id: string,
): Promise<ApprovalRecord> {
  await expireApprovals(store);
  const approval = await findStoredApproval(store, id);
  if (approval === undefined || !isApprovalWithin(caller.clients, approval))
    throw unknownRequest(id);
  return approval;
}

/** Creates the error for an unknown request. The error is the same for answered, expired and inaccessible requests. */
export function unknownRequest(id: string, known: Iterable<string> = []): ConfigurationError {
  return new ConfigurationError(
    `No request "${id}" is waiting for a second user${didYouMean(id, known) || '.'} Nothing was changed. List the requests: donor-sync approvals`,
    { code: 'approval_unknown', refusal: 'unknown', details: { approval: id } },
  );
}

/** Throws a ConfigurationError for an access token. Tokens may not carry out some actions, such as an erasure. */
function requirePerson({ kind }: Caller, { request }: ApprovalRecord): void {
  const isForPersons =
    request.what === 'operation' ? request.by === 'person' : request.what === 'forget';
  if (kind !== 'token' || !isForPersons) return;
  throw personNeeded('confirm this request', 'approvals');
}
