/**
 * Decides who counts as a second user. This file imports neither undo nor erasures. So all operations can use it, while
 * only a few commands have to load those.
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
 * The user who makes a request. The account distinguishes this user from the second user, and the actor appears in the
 * audit.
 */
export interface Requester {
  /** The account, or null if the requester has none, as a visitor of the demo. */
  account: Account | null;
  actor: Actor;
}

/** The role and access that the second user needs. */
export interface NeededUser {
  role: Role;
  /** The IDs of the clients that the request affects, or null for all clients. */
  integrations: readonly string[] | null;
  /** The setting that requires a second user, such as `twoPeople.forget`. */
  setting: string;
}

/**
 * Throws a ConfigurationError (conflict) if only this user could confirm the request. Access tokens do not count.
 * Invited users who have not joined yet do not count either.
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

/** True if the user has access to the needed clients. Null means all clients. */
function reaches(has: readonly string[] | null, needed: readonly string[] | null): boolean {
  if (has === null) return true;
  return needed?.every((id) => has.includes(id)) ?? false;
}

/** Throws a ConfigurationError (conflict) if this account may also belong to the requester. */
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

/** True if the account was created after the request. The requester may have created it. */
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

/** Audit actions that give someone a new way to sign in as a user. */
const NEW_WAYS_IN = [
  'person.invited',
  'person.joined',
  'person.password',
  'passkey.added',
] as const;

/**
 * If there are more entries than this, the account counts as changed. So nobody can hide a change among many others.
 */
const MOST_ENTRIES = 1_000;

/**
 * True if the user has got a new link, password or passkey since the request. An owner can create a link for any user
 * and sign in with it, so this user may be the requester.
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
 * Creates the error for a requester without an account. A request outlives its caller's connection, so it needs an
 * account.
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

/** Creates the error for a request whose effect has changed since it was made. */
export function approvalChanged(): ConfigurationError {
  return refusal('approval_changed', CHANGED);
}

/** Creates the error for a request that was already answered or has expired. */
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
