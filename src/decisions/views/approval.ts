import { z } from 'zod';
import { ACTOR_KINDS } from '../../core/actor.ts';
import { isoTime } from '../../core/clock.ts';
import { describeCount } from '../../core/quantities.ts';
import type { Role } from '../../core/role.ts';
import type { ApprovalDecision, ApprovalRecord, NewApproval } from '../statements/approvals.ts';
import {
  type ApprovalStore,
  expireApprovals,
  listStoredApprovals,
} from '../statements/approvals.ts';
import { reasonName } from './decision-queue.ts';

/** The kinds of request, as fixed words in the JSON format. */
const APPROVAL_KINDS = ['approve', 'resubmit', 'undo', 'forget', 'operation'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** Lists requests that wait for confirmation or are being carried out. Expired requests are skipped. */
export async function listApprovals(store: ApprovalStore): Promise<ApprovalRecord[]> {
  await expireApprovals(store);
  return listStoredApprovals(store);
}

/** A request in the JSON format. */
export const approvalSchema = z
  .object({
    id: z.string(),
    what: z.enum(APPROVAL_KINDS),
    text: z
      .string()
      .describe('Describes the action that is carried out after confirmation, without names'),
    integrations: z.array(z.string()),
    run: z.string().nullable().describe('The run to undo'),
    contact: z.string().nullable().describe('The ID of the contact to erase'),
    contacts: z.int().describe('Number of contacts that the request is about'),
    credits: z.int().describe('Maximum number of credits that the next run spends on it'),
    digest: z
      .string()
      .describe(
        'Digest of the request and its data, which is recomputed at the confirmation and must be the same',
      ),
    askedBy: z.object({
      kind: z.enum(ACTOR_KINDS),
      name: z.string().nullable(),
      from: z.string().nullable(),
    }),
    askedAt: z.iso.datetime(),
    runsOutAt: z.iso.datetime(),
    state: z
      .enum(['waiting', 'confirmed', 'done', 'refused', 'failed'])
      .describe(
        '`waiting`: a second user must confirm it. `confirmed`: donor-sync is carrying it out, even after a restart. `done` or `failed`: it has ended, and its outcome is available for a day',
      ),
  })
  .meta({ id: 'Approval' });

export type ApprovalView = z.output<typeof approvalSchema>;

export function describeApproval(approval: ApprovalRecord): ApprovalView {
  const { id, request, integrations, crmId, contacts, credits, digest, by } = approval;
  return {
    id,
    integrations,
    contacts,
    credits,
    digest,
    what: getApprovalKind(approval),
    text: describeRequest(approval),
    run: request.what === 'undo' ? request.run : null,
    contact: crmId,
    askedBy: by.actor,
    askedAt: isoTime(approval.askedAt),
    runsOutAt: isoTime(approval.runsOutAt),
    state: getState(approval),
  };
}

function getState({ confirmedBy, outcome }: ApprovalRecord): ApprovalView['state'] {
  if (outcome !== null) return outcome.error === null ? 'done' : 'failed';
  return confirmedBy === null ? 'waiting' : 'confirmed';
}

/**
 * Returns the role that a user needs to confirm the request. This is the role that the requested action needs, and the
 * request of an operation contains its role.
 */
export function roleFor({ request }: Pick<ApprovalRecord, 'request'>): Role {
  if (request.what === 'operation') return request.role;
  return request.what === 'decide' ? 'decider' : 'admin';
}

/**
 * Returns the clients of a request. A request to erase a contact from all accounts is visible only to users with access
 * to all clients. Otherwise, other users could learn whether another client has the contact.
 */
export function clientsOfApproval({
  request,
  integrations,
}: Pick<NewApproval, 'request' | 'integrations'>): readonly string[] | null {
  return request.what === 'forget' && request.everywhere ? null : integrations;
}

/** True if a user with access to these clients may see the request. Null means access to all clients. */
export function isApprovalWithin(
  clients: ReadonlySet<string> | null,
  approval: Pick<NewApproval, 'request' | 'integrations'>,
): boolean {
  return clients === null || (clientsOfApproval(approval)?.every((id) => clients.has(id)) ?? false);
}

function getApprovalKind({ request }: Pick<ApprovalRecord, 'request'>): ApprovalKind {
  if (request.what !== 'decide') return request.what;
  return request.decisions.some(({ decision }) => decision === 'approved') ? 'approve' : 'resubmit';
}

type Worded = Pick<ApprovalRecord, 'request' | 'integrations' | 'crmId' | 'contacts' | 'credits'>;

/** Describes in a sentence what happens after a user confirms the request. */
export function describeRequest({
  request,
  integrations,
  crmId,
  contacts,
  credits,
}: Worded): string {
  const who = describeCount(contacts, 'contact');
  const where = integrations.map((id) => `"${id}"`).join(', ');
  if (request.what === 'operation') return request.text;
  if (request.what === 'undo') {
    return `Undo run ${request.run}: restore the previous values of ${who} of ${where}.`;
  }
  if (request.what === 'forget') {
    const crm = request.alsoInCrm ? ', and clear the values that donor-sync wrote to the CRM' : '';
    const unknown = request.blockUnknown ? ' (even if it is unknown)' : '';
    const contact = crmId === null ? 'a contact' : `the contact ${crmId}`;
    return `Erase ${contact}${unknown} from ${where} permanently${crm}.`;
  }
  return decisionSentence(request.decisions, { who, where, credits, contacts });
}

function decisionSentence(
  decisions: readonly ApprovalDecision[],
  {
    who,
    where,
    credits,
    contacts,
  }: { who: string; where: string } & Record<'credits' | 'contacts', number>,
): string {
  const price = credits > 0 ? `for at most ${describeCount(credits, 'credit')}` : 'at no cost';
  const networks = decisions.filter(({ about }) => about === 'network').length;
  if (networks > 0) {
    const what = networks < decisions.length ? `contacts and ${networks}` : String(networks);
    const held = `${what} held ${networks === 1 ? 'network' : 'networks'}`;
    return `Approve ${held} of ${where}, with ${who} in total, ${price}.`;
  }
  const [first] = decisions;
  const held =
    first?.about === 'reason'
      ? ` (${(reasonName(first.subject) ?? first.subject).toLowerCase()})`
      : '';
  if (credits === contacts)
    return `Submit ${who} of ${where}${held} to the service again, ${price}.`;
  return `Approve ${who} of ${where}${held}: the next sync writes their profiles, ${price}.`;
}
