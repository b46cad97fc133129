/** Manages the users who sign in. The users' identities are encrypted in the database and decrypted in this file. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Clock, isoTime } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { newId } from '../core/new-id.ts';
import { describeCount } from '../core/quantities.ts';
import type { Role } from '../core/role.ts';
import type { ActorTransaction } from '../database/actor-transaction.ts';
import { passkeySealContext, personSealContext } from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import type { Reader } from '../database/reader.ts';
import type { Store } from '../database/store.ts';
import { hashToken } from './access-token.ts';
import { isPassword, type PersonIdentity, prepareNewPassword } from './sign-in/password.ts';
import {
  deletePasskey,
  listPasskeys,
  type NewPasskey,
  type PasskeyRecord,
  type PasskeyRemoval,
} from './statements/passkeys.ts';
import {
  acceptInvitation,
  addInvitedPerson,
  type Changed,
  deletePerson,
  findInvitedPerson,
  findPersonBy,
  type Invitation,
  listPersonRecords,
  type PersonRecord,
  type Rights,
  recordSubject,
  renewInvitation,
  savePassword,
  saveRights,
  setPersonDisabled,
} from './statements/people.ts';

/** The number of days for which an invitation link can be used. */
export const INVITATION_DAYS = 7;
const DAY_MS = 86_400_000;
const INVITATION_MS = INVITATION_DAYS * DAY_MS;
/** The lifetime of a link that someone created in the terminal for a user who has already joined. */
export const RECOVERY_MS = 15 * 60_000;
const SECRET_BYTES = 32;

export interface PeopleDeps {
  store: Store;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  clock: Pick<Clock, 'now'>;
  /** The clients' names. A password must not consist only of a client's name. */
  clientNames?: readonly string[];
}

export const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email({ error: 'This is not an email address.' }).max(254));

export const personNameSchema = z
  .string()
  .trim()
  .min(1, { error: 'A name is missing.' })
  .max(100)
  .regex(/^\P{Cc}+$/u, { error: 'The name contains characters that are not allowed.' });

export type { PersonIdentity };

const identitySchema = z.object({ name: z.string(), email: z.string() });

export function readIdentity(
  sealer: Pick<Sealer, 'open'>,
  { id, sealed }: Pick<PersonRecord, 'id' | 'sealed'>,
): PersonIdentity {
  return identitySchema.parse(JSON.parse(sealer.open(sealed, personSealContext(id))));
}

/** A user as the command line and the pages show it to owners. */
export interface PersonView extends PersonIdentity {
  id: string;
  role: Role;
  /** The IDs of the clients that the user may access, or null for all clients. */
  integrations: string[] | null;
  status: 'active' | 'invited' | 'expired' | 'disabled';
  /** The time at which the user joined (ISO 8601), or null if the user has not joined yet. */
  joinedAt: string | null;
  seenAt: string | null;
  signsInBy: SignInWays;
}

export interface SignInWays {
  password: boolean;
  /** True if the user has signed in through the identity provider. */
  provider: boolean;
  passkeys: PasskeyView[];
}

/** The dependencies for decrypting the identities of users. */
export interface UserReader {
  reader: Reader;
  sealer: Pick<Sealer, 'open'>;
  clock: Pick<Clock, 'now'>;
}

export async function listPeople({ reader, sealer, clock }: UserReader): Promise<PersonView[]> {
  const passkeys = Map.groupBy(await listPasskeys(reader, null), ({ personId }) => personId);
  return (await listPersonRecords(reader)).map((person) =>
    describePerson(sealer, person, passkeys.get(person.id) ?? [], clock.now()),
  );
}

/** Returns a text that lists a user's ways to sign in, such as `password, 2 passkeys`. */
export function waysText({ password, provider, passkeys }: SignInWays): string {
  const words = [
    ...(password ? ['password'] : []),
    ...(provider ? ['identity provider'] : []),
    ...(passkeys.length > 0 ? [describeCount(passkeys.length, 'passkey')] : []),
  ];
  return words.length === 0 ? 'nothing yet' : words.join(', ');
}

function describePerson(
  sealer: Pick<Sealer, 'open'>,
  person: PersonRecord,
  passkeys: readonly PasskeyRecord[],
  now: number,
): PersonView {
  const { id, role, integrations, joinedAt, seenAt } = person;
  return {
    id,
    ...readIdentity(sealer, person),
    role,
    integrations: integrations && [...integrations],
    status: getStatus(person, now),
    joinedAt: joinedAt === null ? null : isoTime(joinedAt),
    seenAt: seenAt === null ? null : isoTime(seenAt),
    signsInBy: {
      password: person.password !== null,
      provider: person.subject !== null,
      passkeys: passkeys.map((passkey) => describePasskey(sealer, passkey)),
    },
  };
}

function getStatus(
  { disabledAt, joinedAt, inviteUntil }: PersonRecord,
  now: number,
): PersonView['status'] {
  if (disabledAt !== null) return 'disabled';
  if (joinedAt !== null) return 'active';
  return (inviteUntil ?? 0) > now ? 'invited' : 'expired';
}

export interface Invited {
  id: string;
  /** The secret in the link. donor-sync shows the secret only once. */
  secret: string;
  /** The expiry time of the link (epoch ms). */
  until: number;
}

/** Invites a user. Throws a ConfigurationError if a user already has this address. */
export async function invitePerson(
  trx: ActorTransaction,
  sealer: Pick<Sealer, 'seal'>,
  { name, email, ...rights }: PersonIdentity & Rights,
): Promise<Invited> {
  requireSensible(rights);
  const id = newId(trx.clock.now());
  const sealed = sealer.seal(JSON.stringify({ name, email }), personSealContext(id));
  const { secret, invitation } = newInvitation(trx.clock, INVITATION_MS);
  const person = { id, email: emailFingerprint(trx, email), sealed, ...rights };
  if (await addInvitedPerson(trx, person, invitation)) {
    return { id, secret, until: invitation.until };
  }
  throw new ConfigurationError('A user with this e-mail address already exists.', {
    code: 'person_known',
  });
}

/** Creates a new link for a user. Throws a ConfigurationError if the user does not exist. */
export async function inviteAgain(
  trx: ActorTransaction,
  id: string,
  lifeMs: number = INVITATION_MS,
): Promise<Invited> {
  const { secret, invitation } = newInvitation(trx.clock, lifeMs);
  if (await renewInvitation(trx, id, invitation)) return { id, secret, until: invitation.until };
  throw personUnknown(id);
}

/** Returns the invitation link's path, relative to the public address. */
export function invitationPath({ secret }: Pick<Invited, 'secret'>): string {
  return `/join/${secret}`;
}

function newInvitation(
  clock: Pick<Clock, 'now'>,
  lifeMs: number,
): { secret: string; invitation: Invitation } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const until = clock.now() + lifeMs;
  return { secret, invitation: { hash: hashToken(secret), until } };
}

/** Finds the user of an invitation link. Returns null if the link is invalid or has expired. */
export function findInvited({ store }: PeopleDeps, secret: string): Promise<PersonRecord | null> {
  return findInvitedPerson(store.reader, hashToken(secret));
}

/** The parts of a passkey that users see. */
export interface PasskeyView {
  id: string;
  /** The name that the owner gave the passkey. */
  name: string;
  /** The time at which the passkey was created (ISO 8601). */
  createdAt: string;
  /** The time at which the passkey was last used (ISO 8601), or null if it was never used. */
  lastUsedAt: string | null;
}

export function describePasskey(
  sealer: Pick<Sealer, 'open'>,
  { id, sealed, createdAt, lastUsedAt }: PasskeyRecord,
): PasskeyView {
  return {
    id,
    name: sealer.open(sealed, passkeySealContext(id)),
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
  };
}

/** Removes a passkey. Throws a ConfigurationError if the passkey cannot be removed. */
export async function removePasskey(trx: ActorTransaction, removal: PasskeyRemoval): Promise<void> {
  const removed = await deletePasskey(trx, removal);
  if (removed === 'unknown') throw passkeyUnknown(removal.id);
  if (removed === 'last_owner') {
    throw lastOwner('Set a password first, with a new link: donor-sync users link USER');
  }
  if (removed === 'done') return;
  throw new ConfigurationError(
    'This is the last way to sign in. Add another passkey first, or ask an owner for a link to set a password.',
    { code: 'passkey_last' },
  );
}

/**
 * Removes a passkey for a user who lost the device, and ends all of the user's sessions. Removes even the user's last
 * way to sign in, unless this is the last owner who can manage users.
 */
export function removeLostPasskey(
  trx: ActorTransaction,
  personId: string,
  id: string,
): Promise<void> {
  const removal = { personId, id, alsoLast: true, hasProvider: false, keptSession: null };
  return removePasskey(trx, removal);
}

export function passkeyUnknown(typed: string): ConfigurationError {
  return new ConfigurationError(
    `This user does not have a passkey "${typed}". Nothing was changed. List them: donor-sync users passkeys list USER`,
    { code: 'passkey_unknown', refusal: 'unknown', details: { passkey: typed } },
  );
}

/**
 * Completes an invitation with a passkey or with the password that the user chose. Returns null if the link is invalid.
 * Throws a ConfigurationError if the password is easy to guess. After this error, the link remains valid.
 */
export async function joinBy(
  deps: PeopleDeps,
  secret: string,
  way: string | NewPasskey,
): Promise<PersonRecord | null> {
  const person = await findInvited(deps, secret);
  if (person === null) return null;
  let kept = way;
  if (typeof way === 'string') {
    kept = await prepareNewPassword(way, readIdentity(deps.sealer, person), deps.clientNames);
  }
  return deps.store.act((trx) => acceptInvitation(trx, hashToken(secret), kept));
}

/**
 * Finds the user with this address and password who is allowed to sign in. If no user matches, the check takes just as
 * long.
 */
export async function findByPassword(
  { store }: PeopleDeps,
  email: string,
  password: string,
): Promise<PersonRecord | null> {
  const person = await findPersonBy(store.reader, 'email', emailFingerprint(store, email));
  const isRight = await isPassword(password, person?.password ?? null);
  return isRight && person?.disabledAt === null ? person : null;
}

export interface ProvidedIdentity {
  issuer: string;
  /** The permanent ID that the provider uses for the user. */
  subject: string;
  /** The email address, which the provider has verified. */
  email: string;
}

/**
 * Finds the user whose subject the provider has reported. At the first sign-in, finds the invited user with this
 * address. Returns null if no user matches.
 */
export async function findByProvider(
  { store, clock }: PeopleDeps,
  { issuer, subject, email }: ProvidedIdentity,
): Promise<PersonRecord | null> {
  const known = store.fingerprint('person_subject', JSON.stringify([issuer, subject]));
  const person =
    (await findPersonBy(store.reader, 'subject', known)) ??
    (await findPersonBy(store.reader, 'email', emailFingerprint(store, email)));
  if (person === null || !['active', 'invited'].includes(getStatus(person, clock.now())))
    return null;
  return (await store.act((trx) => recordSubject(trx, person.id, known))) ? person : null;
}

/**
 * Changes a user's password. Throws a ConfigurationError if the old password is wrong or the new password is easy to
 * guess.
 */
export async function changePassword(
  { store, sealer, clientNames }: PeopleDeps,
  person: PersonRecord,
  { old, fresh, session }: { old: string; fresh: string; session: string | null },
): Promise<void> {
  if (!(await isPassword(old, person.password))) {
    throw new ConfigurationError('The current password is wrong.', { code: 'password_wrong' });
  }
  const password = await prepareNewPassword(fresh, readIdentity(sealer, person), clientNames);
  await store.act((trx) => savePassword(trx, person.id, password, session));
}

/** Changes a user's rights. Throws a ConfigurationError if the rights cannot be changed. */
export async function changeRights(
  trx: ActorTransaction,
  id: string,
  rights: Rights,
): Promise<void> {
  requireSensible(rights);
  requireDone(id, await saveRights(trx, id, rights));
}

/** Disables or enables a user. Throws a ConfigurationError if the change is not allowed. */
export async function disablePerson(
  trx: ActorTransaction,
  id: string,
  isDisabled: boolean,
): Promise<void> {
  requireDone(id, await setPersonDisabled(trx, id, isDisabled));
}

export async function removePerson(trx: ActorTransaction, id: string): Promise<void> {
  requireDone(id, await deletePerson(trx, id));
}

function requireDone(id: string, changed: Changed): void {
  if (changed === 'unknown') throw personUnknown(id);
  if (changed === 'done') return;
  throw lastOwner('Make another user an owner first, and wait until they have joined.');
}

function lastOwner(next: string): ConfigurationError {
  return new ConfigurationError(
    `This is the last owner who can sign in: nobody else could manage users and tokens. Nothing was changed. ${next}`,
    { code: 'last_owner', refusal: 'conflict' },
  );
}

/** Checks that an owner has access to all clients, because owners give other users access. */
export function requireSensible({ role, integrations }: Rights): void {
  if (role !== 'owner' || integrations === null) return;
  throw new ConfigurationError(
    'An owner has access to all clients. Choose another role, or do not name any clients.',
    { code: 'owner_limited' },
  );
}

export function personUnknown(typed: string): ConfigurationError {
  return new ConfigurationError(
    `There is no user "${typed}". Nothing was changed. List the users: donor-sync users list`,
    { code: 'person_unknown', refusal: 'unknown', details: { user: typed } },
  );
}

/** Returns the fingerprint of an address. The database stores this fingerprint instead of the address. */
export function emailFingerprint({ fingerprint }: Pick<Store, 'fingerprint'>, email: string) {
  return fingerprint('person_email', email.trim().toLowerCase());
}
