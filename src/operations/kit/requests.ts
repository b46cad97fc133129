/** For a second user or for the service. */
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

/** This is not a problem. */
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
  /** NO_CLIENT if the request is about none. */
  clients: readonly string[];
}

/** Each row needs a client. */
export const NO_CLIENT = '';

/** Throws a ConfigurationError (conflict) if nobody else could confirm. */
export async function requireConfirmable(
  users: UserReader,
  { caller: { account }, operation: { role }, clients }: AskedOperation,
  { setting }: SecondUserMatter,
): Promise<void> {
  if (account === null) throw withoutAccount();
  const integrations = clients.includes(NO_CLIENT) ? null : clients;
  await requireSomeoneElse(users, account, { role, integrations, setting });
}

/** An equal waiting request is enough. */
export async function recordWaiting(
  trx: ActorTransaction,
  asked: AskedOperation,
  matter: SecondUserMatter,
): Promise<ApprovalRecord> {
  return (await recordApproval(trx, toRequest(trx, asked, matter))).approval;
}

/** The service carries it out. An equal request is enough. */
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

/** Parsed by the current schema. */
export interface FoundOperation {
  operation: Operation;
  input: Record<string, unknown>;
}

/** Throws a ConfigurationError (conflict) if this version lacks the operation or refuses its input. */
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

/** Carries out a request. The rights were checked at the request and the confirmation. */
export function toCarrier(
  { integrations }: Pick<ApprovalRecord, 'integrations'>,
  { reach }: Pick<Operation, 'reach'>,
  by: Actor,
): Caller {
  const clients = reach === 'all' ? null : new Set(integrations);
  return { kind: 'machine', role: null, clients, account: null, actor: by };
}

/** Records the outcome. Temporary errors are thrown and retried. */
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
