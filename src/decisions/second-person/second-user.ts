/**
 * Decides who can be the second user. This file does not import undo or erasures, so operations can use this file
 * without loading the code of a few rare commands.
 */
import type { Actor } from '../../core/actor.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { mayActAs, type Role } from '../../core/role.ts';
import { type Account, mayBeSame } from '../../core/second-person.ts';
import type { Reader } from '../../database/reader.ts';
import { listAccessTokens } from '../../people/statements/access.ts';
import { findPersonBy } from '../../people/statements/people.ts';
import { listPeople, type PersonView, type UserReader } from '../../people/user-accounts.ts';
import { type AuditSource, listAuditEntries } from '../../privacy/audit/read-audit.ts';
import type { ApprovalRecord } from '../statements/approvals.ts';

/**
 * The user who requests an action. The account is compared with the second user's account, and the audit shows the
 * actor.
 */
export interface Requester {
  account: Account | null;
  actor: Actor;
}

export interface NeededUser {
  role: Role;
  /** The IDs of the clients that the action affects. Null means all clients. */
  integrations: readonly string[] | null;
  /** The setting that requires a second user, such as `twoPeople.forget`. */
  setting: string;
}

/**
 * Throws a ConfigurationError (conflict) if no other user could confirm the action. Access tokens cannot confirm
 * actions. Invited users cannot confirm actions before they join.
 */
export async function requireSomeoneElse(
  users: UserReader,
  account: Account,
  { role, integrations, setting }: NeededUser,
): Promise<void> {
  const people = await listPeople(users);
  if (people.some((person) => couldConfirm(person) && !isAccount(person))) return;
  const clients = integrations?.map((id) => `"${id}"`).join(', ') ?? 'all clients';
  throw new ConfigurationError(
    `The setting ${setting} requires a second user, but no other user could confirm this. It takes the role ${role} and access to ${clients}. Nothing was changed. Invite someone with \`donor-sync users invite\`, or turn ${setting} off.`,
    { code: 'second_user_missing', refusal: 'conflict', details: { setting, role } },
  );

  function couldConfirm(person: PersonView): boolean {
    return (
      person.status === 'active' &&
      mayActAs(person.role, role) &&
      reaches(person.integrations, integrations)
    );
  }

  function isAccount({ id, name }: PersonView): boolean {
    return mayBeSame({ kind: 'person', id, name }, account);
  }
}

/** True if the user has access to the needed clients. In both lists, null means all clients. */
function reaches(has: readonly string[] | null, needed: readonly string[] | null): boolean {
  if (has === null) return true;
  return needed?.every((id) => has.includes(id)) ?? false;
}

/** Throws a ConfigurationError (conflict) if the confirming account may belong to the requester. */
export async function requireSecondUser(
  source: AuditSource,
  approval: ApprovalRecord,
  account: Requester['account'],
): Promise<void> {
  if (account === null) throw withoutAccount();
  if (mayBeSame(approval.by.account, account)) throw samePerson(approval);
  const isNew = await isNewer(source.reader, account, approval.askedAt);
  if (isNew || (await hasNewWayIn(source, account, approval.askedAt))) {
    throw refusal('approval_account_too_new', isNew ? TOO_NEW : NEW_WAY_IN);
  }
}

/** True if the account is newer than the request. The requester may have created a newer account. */
async function isNewer(
  reader: Reader,
  { kind, id }: NonNullable<Requester['account']>,
  askedAt: number,
): Promise<boolean> {
  if (kind === 'command') return false;
  const account =
    kind === 'person'
      ? await findPersonBy(reader, 'id', id)
      : (await listAccessTokens(reader)).find((one) => one.id === id);
  return (account?.createdAt ?? askedAt) >= askedAt;
}

/** Audit actions that give someone a new way to sign in. */
const NEW_WAYS_IN = [
  'person.invited',
  'person.joined',
  'person.password',
  'passkey.added',
] as const;

/**
 * The maximum number of audit entries to check. If there are more entries, the account counts as changed, so nobody can
 * hide a change among many others.
 */
const MOST_ENTRIES = 1_000;

/**
 * True if the user got a new link, password or passkey since the request. An owner can sign in with any user's new
 * link, so this user may be the requester.
 */
async function hasNewWayIn(
  source: AuditSource,
  { kind, id }: NonNullable<Requester['account']>,
  askedAt: number,
): Promise<boolean> {
  if (kind !== 'person') return false;
  for (const action of NEW_WAYS_IN) {
    const entries = await listAuditEntries(source, { action, since: askedAt, limit: MOST_ENTRIES });
    if (entries.length === MOST_ENTRIES) return true;
    if (entries.some(({ details }) => details['person'] === id)) return true;
  }
  return false;
}

/**
 * Creates the error for a requester without an account. A request outlives its connection, so access without an account
 * is not enough.
 */
export function withoutAccount(): ConfigurationError {
  return new ConfigurationError(
    'This needs a user account, and you do not have one yet. Nothing was changed. Sign in as a user, or use your own access token.',
    { code: 'approval_needs_account', refusal: 'conflict' },
  );
}

const TOO_NEW =
  'This account was created after the request, so it does not count as a second user. Ask a user whose account already existed to confirm the request. Nothing was changed.';
const NEW_WAY_IN =
  'This account got a new link, password or passkey after the request, so it does not count as a second user: the requester could have created it. Ask another user to confirm the request. Nothing was changed.';
const CHANGED =
  'The request no longer matches the current data: some of it has since been decided, removed or added. Nothing was changed. Refuse the request, review it, and submit it again.';
const GONE =
  'The request is no longer waiting: another user confirmed or refused it, or it has expired. Nothing was changed.';

export function approvalChanged(): ConfigurationError {
  return refusal('approval_changed', CHANGED);
}

/** Creates the error for a request that was answered or has expired. */
export function approvalGone(): ConfigurationError {
  return refusal('approval_gone', GONE);
}

function samePerson({ by }: ApprovalRecord): ConfigurationError {
  return refusal(
    'approval_same_person',
    `Someone other than the requester, ${by.account.name}, must confirm it. Nothing was changed.`,
  );
}

function refusal(code: string, message: string): ConfigurationError {
  return new ConfigurationError(message, { code, refusal: 'conflict' });
}
