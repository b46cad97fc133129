/**
 * Keeps the names of contacts that a user has just seen, so reopening a page does not query the CRM again. The names
 * are only in this process's memory, for at most ten minutes. An erasure, an opt-out, a sign-out and a change of the
 * user's rights remove the names earlier.
 */
import type { Account } from '../core/second-person.ts';
import type { Fingerprint } from '../database/encryption/fingerprint.ts';

const KEPT_MS = 600_000;

/** The number of names that are kept for each user and client. */
const MOST_NAMES = 1_000;

/** The maximum number of users whose names are kept. */
const MOST_USERS = 200;

/** The names that a user has read from a client's CRM. */
export interface ShownNames {
  /** Returns the stored name of a contact, or undefined if no name is stored. */
  get(crmId: string): string | undefined;
  keep(crmId: string, name: string): void;
  drop(crmId: string): void;
}

export interface ShownNamesOf {
  /** The user's account. Null for a local user of the machine. */
  account: Pick<Account, 'kind' | 'id'> | null;
  /** The user's role and clients as text. If this text changes, all names of the user are removed. */
  rights: string;
  integrationId: string;
  /** A string that changes with each erasure in any process. If this string changes, the client's names are removed. */
  erasures: string;
  /** Returns the monotonic time in ms. */
  now(): number;
}

interface OfUser {
  rights: string;
  clients: Map<string, OfClient>;
}

interface OfClient {
  erasures: string;
  names: Map<string, { name: string; untilMs: number }>;
}

/**
 * Identifies an open database. Two applications in one process, as in tests, therefore do not share names. The
 * fingerprint function of a database serves as its identity.
 */
type Owner = Fingerprint;

const known = new WeakMap<Owner, Map<string, OfUser>>();

export function openShownNames(owner: Owner, of: ShownNamesOf): ShownNames {
  const { names } = findOfClient(owner, of);
  return {
    get(crmId) {
      const kept = names.get(crmId);
      if (kept === undefined || kept.untilMs > of.now()) return kept?.name;
      names.delete(crmId);
      return undefined;
    },
    keep(crmId, name) {
      const kept = { name, untilMs: of.now() + KEPT_MS };
      names.set(crmId, kept);
      const [oldest] = names.keys();
      if (names.size > MOST_NAMES && oldest !== undefined) names.delete(oldest);
      // If nobody requests the name again, the timer removes it from memory.
      const timer = setTimeout(() => {
        if (names.get(crmId) === kept) names.delete(crmId);
      }, KEPT_MS);
      timer.unref();
    },
    drop(crmId) {
      names.delete(crmId);
    },
  };
}

/** Removes all names of a user who has signed out or whose rights have changed. */
export function dropNamesOfUser(owner: Owner, account: ShownNamesOf['account']): void {
  const users = known.get(owner);
  const key = toKey(account);
  for (const { names } of users?.get(key)?.clients.values() ?? []) names.clear();
  users?.delete(key);
}

/** Removes all names of a client, for all users. */
export function dropNamesOfClient(owner: Owner, integrationId: string): void {
  for (const { clients } of known.get(owner)?.values() ?? []) {
    clients.get(integrationId)?.names.clear();
    clients.delete(integrationId);
  }
}

/** Returns the number of names in memory. */
export function countShownNames(owner: Owner): number {
  const users = [...(known.get(owner)?.values() ?? [])];
  const clients = users.flatMap((user) => [...user.clients.values()]);
  return clients.reduce((sum, { names }) => sum + names.size, 0);
}

function findOfClient(
  owner: Owner,
  { account, rights, integrationId, erasures }: ShownNamesOf,
): OfClient {
  const users = known.get(owner) ?? new Map<string, OfUser>();
  known.set(owner, users);
  const key = toKey(account);
  if (users.get(key)?.rights !== rights) dropNamesOfUser(owner, account);
  const user = users.get(key) ?? { rights, clients: new Map<string, OfClient>() };
  users.set(key, user);
  const [oldest] = users.keys();
  if (users.size > MOST_USERS && oldest !== undefined) users.delete(oldest);
  const kept = user.clients.get(integrationId);
  if (kept?.erasures === erasures) return kept;
  kept?.names.clear();
  const fresh: OfClient = { erasures, names: new Map() };
  user.clients.set(integrationId, fresh);
  return fresh;
}

function toKey(account: ShownNamesOf['account']): string {
  return account === null ? '' : `${account.kind} ${account.id}`;
}
