/** Recorded requests: operations that another user has to confirm, or that the service carries out. */
import type { Actor } from '../../core/actor.ts';
import { ConfigurationError, isConfigurationError } from '../../core/errors.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { requireSomeoneElse, withoutAccount } from '../../decisions/second-person/second-user.ts';
import {
  type ApprovalRecord,
  type NewApproval,
  type OperationRequest,
  recordApproval,
  recordOutcome,
  recordWork,
} from '../../decisions/statements/approvals.ts';
import type { UserReader } from '../../people/user-accounts.ts';
import type { Store } from '../../store.ts';
import type { Caller } from './caller.ts';
import type { Operation, SecondUserMatter } from './operation.ts';

/**
 * Thrown if nothing was done because another user has to confirm the request first. It does not indicate a
 * problem.
 */
export class RequestWaits extends Error {
  readonly approval: ApprovalRecord;

  constructor(approval: ApprovalRecord) {
    super('The request waits for a second user.');
    this.name = 'RequestWaits';
    this.approval = approval;
  }
}

/** An operation and a caller's input. */
export interface AskedOperation {
  caller: Caller;
  operation: Pick<Operation, 'name' | 'role' | 'reach' | 'by' | 'summary'>;
  input: Record<string, unknown>;
  /** The IDs of the request's clients, or only NO_CLIENT if it is not about clients. */
  clients: readonly string[];
}

/** Means no client in recorded requests, because each of their rows needs a client. */
export const NO_CLIENT = '';

/** Throws a ConfigurationError (conflict) if no user except the caller could confirm it now. */
export async function requireConfirmable(
  users: UserReader,
  { caller: { account }, operation: { role }, clients }: AskedOperation,
  { setting }: SecondUserMatter,
): Promise<void> {
  if (account === null) throw withoutAccount();
  const integrations = clients.includes(NO_CLIENT) ? null : clients;
  await requireSomeoneElse(users, account, { role, integrations, setting });
}

/** Records a request that waits for a second user. If an equal request is waiting, nothing is recorded. */
export async function recordWaiting(
  trx: ActorTransaction,
  asked: AskedOperation,
  matter: SecondUserMatter,
): Promise<ApprovalRecord> {
  return (await recordApproval(trx, toRequest(trx, asked, matter))).approval;
}

/** Records a request for the service. If there is an equal request, nothing is recorded. */
export async function recordToCarryOut(
  trx: ActorTransaction,
  asked: AskedOperation,
): Promise<ApprovalRecord> {
  const matter = { text: `${asked.operation.summary}.`, contacts: 0, credits: 0, setting: '' };
  return (await recordWork(trx, toRequest(trx, asked, matter))).approval;
}

/** True if the subject of a waiting request has not changed. */
export function isSameRequest(
  source: Pick<Store, 'fingerprint'>,
  { digest }: Pick<ApprovalRecord, 'digest'>,
  asked: AskedOperation,
  matter: SecondUserMatter,
): boolean {
  return digest === digestOf(source, asked, matter);
}

function toRequest(
  trx: ActorTransaction,
  asked: AskedOperation,
  matter: SecondUserMatter,
): NewApproval {
  const { operation, input, caller, clients } = asked;
  const { account, actor } = caller;
  if (account === null) throw withoutAccount();
  const { text, contacts, credits } = matter;
  const { name, role, by } = operation;
  return {
    contacts,
    credits,
    crmId: null,
    request: { what: 'operation', name, input, role, by, text },
    integrations: [...clients],
    digest: digestOf(trx, asked, matter),
    by: { actor, account },
  };
}

function digestOf(
  { fingerprint }: Pick<Store, 'fingerprint'>,
  { operation: { name }, input, clients }: AskedOperation,
  matter: SecondUserMatter,
): string {
  return fingerprint('approval', JSON.stringify(['operation', name, input, clients, matter]));
}

/** A requested operation, with its input as the current schema parses it. */
export interface FoundOperation {
  operation: Operation;
  input: Record<string, unknown>;
}

/**
 * Throws a ConfigurationError (conflict) if this version of the product lacks the operation, or no longer accepts the
 * input.
 */
export function readRequest(
  operation: Operation | undefined,
  { name, input }: OperationRequest,
): FoundOperation {
  const read = operation?.input.safeParse(input);
  if (operation !== undefined && read?.success) return { operation, input: read.data };
  throw new ConfigurationError(
    `This version of donor-sync cannot carry out "${name}" as it was requested. Nothing was changed. Refuse the request, and submit it again.`,
    { code: 'operation_unknown', refusal: 'conflict' },
  );
}

/** Returns the caller for carrying out a request. Rights were checked at the request and at the confirmation. */
export function toCarrier(
  { integrations }: Pick<ApprovalRecord, 'integrations'>,
  { reach }: Pick<Operation, 'reach'>,
  by: Actor,
): Caller {
  const clients = reach === 'all' ? null : new Set(integrations);
  return { kind: 'machine', role: null, clients, account: null, actor: by };
}

/** Does the work and records the outcome. Temporary errors are thrown, so the work is retried later. */
export async function keepOutcome(
  store: Pick<Store, 'connection' | 'fingerprint'>,
  approval: ApprovalRecord,
  { now, work }: { now: () => number; work: () => Promise<unknown> },
): Promise<void> {
  try {
    const result = await work();
    await recordOutcome(store, approval, { endedAt: now(), result, error: null });
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    const { code, message } = error;
    await recordOutcome(store, approval, {
      endedAt: now(),
      result: null,
      error: { code, message },
    });
  }
}
