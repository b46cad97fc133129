/**
 * The address at which users reach the server. The settings file can contain the address. If the settings contain no
 * address, an owner proposes an address, and someone confirms it by opening a link in a different browser. The server
 * never sends a request to test an address. docs/decisions/0035-address.md explains the design.
 */
import { ConfigurationError } from '../core/errors.ts';
import { isLoopback } from '../core/host.ts';
import { newId } from '../core/new-id.ts';
import { newSecret } from '../core/new-secret.ts';
import { publicAddress } from '../core/public-address.ts';
import { describeCount } from '../core/quantities.ts';
import { invalidRequest } from '../core/shared-errors.ts';
import type { ActorTransaction } from '../database/actor-transaction.ts';
import { addressSealContext } from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import type { Reader, TimedReader } from '../database/reader.ts';
import { hashToken } from './access-token.ts';
import {
  type AddressRecord,
  confirmAddress,
  listAddresses,
  type ProposedAddress,
  proposeAddress,
} from './statements/addresses.ts';
import { listPasskeys } from './statements/passkeys.ts';
import { findPersonBy, listPersonRecords, type PersonRecord } from './statements/people.ts';
import { readIdentity } from './user-accounts.ts';

/** The address in the settings, or this machine's own address if the settings have none. */
export interface GivenAddress {
  publicUrl: string;
  /** True if the settings do not contain an address. donor-sync then uses a confirmed address. Defaults to false. */
  hasOwnUrl?: boolean;
}

/** The address in use, and its source. */
export interface ServerAddress {
  url: string;
  /** The origin of the address. `default` is an address that only this computer can reach. */
  from: 'settings' | 'confirmed' | 'default';
}

export interface ServerAddresses extends ServerAddress {
  /** The time at which a different browser confirmed the address (epoch ms), or null if none did. */
  confirmedAt: number | null;
  /** Former addresses that are still accepted. */
  former: readonly { url: string; until: number }[];
  /** The address that still has to be confirmed. A proposed address remains here even after it has expired. */
  proposed: AddressRecord | null;
}

/** The lifetime of the link that confirms an address. */
const CONFIRMATION_MS = 15 * 60_000;

export async function readAddresses(
  reader: TimedReader,
  { publicUrl, hasOwnUrl = false }: GivenAddress,
): Promise<ServerAddresses> {
  const none = { confirmedAt: null, former: [], proposed: null };
  if (!hasOwnUrl) return { ...none, url: publicUrl, from: 'settings' };
  const records = await listAddresses(reader);
  const now = reader.clock.now();
  const current = records.find(({ slot }) => slot === 'current');
  const former = records.flatMap(({ slot, url, until }) =>
    slot === null && until !== null && until > now ? [{ url, until }] : [],
  );
  return {
    url: current?.url ?? publicUrl,
    from: current === undefined ? 'default' : 'confirmed',
    confirmedAt: current?.confirmedAt ?? null,
    former,
    proposed: records.find(({ slot }) => slot === 'proposed') ?? null,
  };
}

/**
 * Returns the address for links in messages. If neither the settings nor a user gave an address, returns the address at
 * which this process listens (`listensAt`), or null if it does not listen.
 */
export async function readLinkAddress(
  reader: TimedReader,
  given: GivenAddress,
  listensAt: string | null,
): Promise<string | null> {
  const { url, from } = await readAddresses(reader, given);
  return from === 'default' ? listensAt : url;
}

/**
 * Returns the origin of a typed address, such as `https://donors.example.org`. Throws a ConfigurationError (invalid) if
 * other computers cannot reach a server at this address.
 */
export function toServerAddress(typed: string, { allowsPlainHttp = false } = {}): string {
  const text = typed.trim();
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || url.hostname === '') {
    throw refusedAddress(
      'This is not an address. Enter an address such as https://donors.example.org.',
    );
  }
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw refusedAddress('The address has to start with https://.');
  }
  if (isLoopback(url.hostname) || url.hostname.endsWith('.localhost')) {
    throw refusedAddress(
      'With this name, a computer can only reach itself. Enter the name that other computers use to reach the server.',
    );
  }
  if (url.protocol === 'http:' && !allowsPlainHttp) {
    throw refusedAddress(
      'The address has to start with https://, because others could read passwords in transit. If you trust the network, set `server.plainHttp: allow` in the settings file.',
    );
  }
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search + url.hash) {
    throw refusedAddress(
      'Enter the address without a path: only https://, the name and, if needed, the port.',
    );
  }
  return url.origin;
}

function refusedAddress(problem: string): ConfigurationError {
  return invalidRequest(problem);
}

export interface Proposed {
  link: string;
  /** The time at which the proposal expires (epoch ms). */
  until: number;
}

/** Stores the address, and returns the link that confirms it. `browser` is the fingerprint of the browser that proposes it. */
export async function propose(
  trx: ActorTransaction,
  sealer: Pick<Sealer, 'seal'>,
  { url, browser, proposedBy }: Pick<ProposedAddress, 'url' | 'browser' | 'proposedBy'>,
): Promise<Proposed> {
  const now = trx.clock.now();
  const id = newId(now);
  const value = newSecret();
  const until = now + CONFIRMATION_MS;
  const secret = sealer.seal(value, addressSealContext(id));
  await proposeAddress(trx, { id, url, secret, browser, proposedBy, until });
  return { link: confirmationLink(url, value), until };
}

/** Returns the confirmation link for the owner. Returns null if the link no longer works. */
export function findLink(
  proposed: AddressRecord | null,
  sealer: Pick<Sealer, 'open'>,
  now: number,
): string | null {
  if (proposed === null || proposed.secret === null || (proposed.until ?? 0) <= now) return null;
  return confirmationLink(
    proposed.url,
    sealer.open(proposed.secret, addressSealContext(proposed.id)),
  );
}

/** The path of a confirmation link. A confirmation link opens a page with a button. */
const CONFIRMATION_PATH = '/confirm-address';

function confirmationLink(url: string, value: string): string {
  return publicAddress(url, `${CONFIRMATION_PATH}/${value}`);
}

/** True if this is the address's one-time value, even if the value has expired. */
export function isValueOf(
  { id, secret }: AddressRecord,
  sealer: Pick<Sealer, 'open'>,
  value: string,
): boolean {
  // Compares hashes, so the response time does not reveal which part of a guess is right.
  return (
    secret !== null && hashToken(sealer.open(secret, addressSealContext(id))) === hashToken(value)
  );
}

/**
 * Confirms the proposed address. Returns false if the proposal has already been confirmed, was replaced, or has
 * expired. Also returns false if the user who proposed the address is no longer an owner. Throws a ConfigurationError
 * (conflict) for the same reasons as `address set`.
 */
export async function confirm(
  trx: ActorTransaction,
  sealer: Pick<Sealer, 'open'>,
  { id, url, proposedBy }: AddressRecord,
  ways: OtherWays,
): Promise<boolean> {
  const owner = proposedBy === null ? null : await findPersonBy(trx, 'id', proposedBy);
  if (proposedBy !== null && (owner === null || !isActiveOwner(owner))) return false;
  await requireWaysOfOwners(trx, sealer, url, ways);
  return confirmAddress(trx, id);
}

/** A user with passkeys for an address. */
export interface PasskeyHolder {
  id: string;
  name: string;
  email: string;
  passkeys: number;
}

/**
 * Lists the users with passkeys that work at an address, and the users with passkeys that do not work there. Browsers
 * bind each passkey to a host name. A user with several passkeys can be in both lists.
 */
export async function listPasskeyHolders(
  reader: Reader,
  sealer: Pick<Sealer, 'open'>,
  url: string,
): Promise<Record<'kept' | 'lost', PasskeyHolder[]>> {
  const { hostname } = new URL(url);
  const passkeys = await listPasskeys(reader, null);
  const persons = await listPersonRecords(reader);
  const listWith = (isKept: boolean) =>
    persons.flatMap((person) => {
      const some = passkeys.filter(
        ({ personId, host }) => personId === person.id && (host === hostname) === isKept,
      );
      const { name, email } = readIdentity(sealer, person);
      return some.length === 0 ? [] : [{ id: person.id, name, email, passkeys: some.length }];
    });
  return { kept: listWith(true), lost: listWith(false) };
}

/** The other ways to sign in, in addition to passkeys. */
export interface OtherWays {
  passwords: boolean;
  provider: boolean;
}

/**
 * Throws a ConfigurationError (conflict) if an owner can sign in only with passkeys, but has no passkey for the
 * address's host name.
 */
export async function requireWaysOfOwners(
  reader: Reader,
  sealer: Pick<Sealer, 'open'>,
  url: string,
  ways: OtherWays,
): Promise<void> {
  const holders = await listPasskeyHolders(reader, sealer, url);
  const [lost, kept] = [holders.lost, holders.kept].map(
    (list) => new Set(list.map(({ id }) => id)),
  );
  const stranded = (await listPersonRecords(reader)).filter(
    (person) =>
      lost?.has(person.id) &&
      !kept?.has(person.id) &&
      isActiveOwner(person) &&
      !hasWay(person, ways),
  );
  if (stranded.length === 0) return;
  throw new ConfigurationError(
    `${describeCount(stranded.length, 'owner')} could not sign in at this address, because they have only passkeys, which belong to another host name. Nothing was changed. Let them set a password first: donor-sync users link USER`,
    {
      code: 'address_strands_owner',
      refusal: 'conflict',
      details: { owners: stranded.map(({ id }) => id) },
    },
  );
}

function isActiveOwner({ role, joinedAt, disabledAt }: PersonRecord): boolean {
  return role === 'owner' && joinedAt !== null && disabledAt === null;
}

function hasWay({ password, subject }: PersonRecord, ways: OtherWays): boolean {
  return (ways.passwords && password !== null) || (ways.provider && subject !== null);
}

/** Throws a ConfigurationError (conflict) if the address is in the settings file. */
export function requireNoGivenAddress({ publicUrl, hasOwnUrl = false }: GivenAddress): void {
  if (hasOwnUrl) return;
  throw new ConfigurationError(
    `The settings file names the address: server.publicUrl is ${publicUrl}. Nothing was changed. Change it there, or remove it from the file.`,
    { code: 'address_in_settings', refusal: 'conflict' },
  );
}

/**
 * Throws a ConfigurationError (conflict) if only this computer can reach the server, because a link to the server would
 * then be useless.
 */
export function requireReachable({ from }: Pick<ServerAddress, 'from'>): void {
  if (from !== 'default') return;
  throw new ConfigurationError(
    'The server can be reached only from this computer, so a link would not work for your colleagues. Nobody was invited. First set the address at which they reach the server: Users, Address.',
    { code: 'address_missing', refusal: 'conflict' },
  );
}
