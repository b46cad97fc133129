/** Stores requests that wait for a second user or for the service. */
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

/** Thrown if a request waits for a second user. A request that waits is not a failure. */
export class RequestWaits extends Error {
  readonly approval: ApprovalRecord;

  constructor(approval: ApprovalRecord) {
    super('The request waits for a second user.');
    this.name = 'RequestWaits';
    this.approval = approval;
  }
}

/** An operation with a caller's input. */
export interface AskedOperation {
  caller: Caller;
  operation: Pick<Operation, 'name' | 'role' | 'reach' | 'by' | 'summary'>;
  input: Record<string, unknown>;
  /** The request's clients, or NO_CLIENT if it is about no client. */
  clients: readonly string[];
}

/** Means that a request is about no client. A row must have a client. */
export const NO_CLIENT = '';

/** Throws a ConfigurationError (conflict) if no other user could confirm the request. */
export async function requireConfirmable(
  users: UserReader,
  { caller: { account }, operation: { role }, clients }: AskedOperation,
  { setting }: SecondUserMatter,
): Promise<void> {
  if (account === null) throw withoutAccount();
  const integrations = clients.includes(NO_CLIENT) ? null : clients;
  await requireSomeoneElse(users, account, { role, integrations, setting });
}

/** Records a request that waits for a second user. Does nothing if an equal request already waits. */
export async function recordWaiting(
  trx: ActorTransaction,
  asked: AskedOperation,
  matter: SecondUserMatter,
): Promise<ApprovalRecord> {
  return (await recordApproval(trx, toRequest(trx, asked, matter))).approval;
}

/** Records a request that the service carries out. Does nothing if an equal request exists. */
export async function recordToCarryOut(
  trx: ActorTransaction,
  asked: AskedOperation,
): Promise<ApprovalRecord> {
  const matter = { text: `${asked.operation.summary}.`, contacts: 0, credits: 0, setting: '' };
  return (await recordWork(trx, toRequest(trx, asked, matter))).approval;
}

/** True if the subject of a waiting request is unchanged. */
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

/** An operation with its input, which the current schema has parsed. */
export interface FoundOperation {
  operation: Operation;
  input: Record<string, unknown>;
}

/**
 * Reads a stored request. Throws a ConfigurationError (conflict) if this version lacks the operation or refuses its
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

/**
 * Returns a function that carries out a request. The rights were checked when the request was made and when it was
 * confirmed.
 */
export function toCarrier(
  { integrations }: Pick<ApprovalRecord, 'integrations'>,
  { reach }: Pick<Operation, 'reach'>,
  by: Actor,
): Caller {
  const clients = reach === 'all' ? null : new Set(integrations);
  return { kind: 'machine', role: null, clients, account: null, actor: by };
}

/** Records the outcome of a request. Throws temporary errors again, so that the request is retried. */
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
