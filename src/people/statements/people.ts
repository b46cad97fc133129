/**
 * Stores the users who sign in. The database stores their addresses as fingerprints, and their links and cookies as
 * hashes.
 */

import type { Selectable } from 'kysely';
import type { Role } from '../../core/role.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRow } from '../../database/from-row.ts';
import type { Reader, TimedReader } from '../../database/reader.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { type ClientAccess, readAccess, writeAccess } from './client-access.ts';
import { isLastOwner } from './owners.ts';
import { insertPasskey, type NewPasskey, passkeyKnown } from './passkeys.ts';

/** A user as the database stores it, with an encrypted identity. */
export type PersonRecord = Omit<FromRow<Selectable<Tables['people']>>, 'integrations'> & {
  /** The IDs of the integrations that the user may access, or null for all integrations. */
  integrations: ClientAccess;
};

/** The hash of an open invitation, and its expiry time (epoch ms). */
export interface Invitation {
  hash: string;
  until: number;
}

export interface Rights {
  role: Role;
  integrations: ClientAccess;
}

/** The result of a change that could remove the last owner. */
export type Changed = 'done' | 'unknown' | 'last_owner';

/** True if at least one user can sign in. */
export async function hasJoinedPerson(reader: Reader): Promise<boolean> {
  const joined = await reader
    .selectFrom('people')
    .select('id')
    .where('joined_at', 'is not', null)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return joined !== undefined;
}

/** Lists all users and invited users, oldest first. */
export async function listPersonRecords(reader: Reader): Promise<PersonRecord[]> {
  const rows = await reader
    .selectFrom('people')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(toPersonRecord);
}

/** Finds the user with this ID, this fingerprint of the address, or this hash of a link. */
export async function findPersonBy(
  reader: Reader,
  column: 'id' | 'email' | 'subject' | 'invite_hash' | 'email_proof',
  value: string,
): Promise<PersonRecord | null> {
  const row = await reader
    .selectFrom('people')
    .selectAll()
    .where(column, '=', value)
    .executeTakeFirst();
  return row === undefined ? null : toPersonRecord(row);
}

/** Finds the user whose invitation link has this hash and has not expired. */
export async function findInvitedPerson(
  reader: TimedReader,
  hash: string,
): Promise<PersonRecord | null> {
  const person = await findPersonBy(reader, 'invite_hash', hash);
  const isOpen = person?.disabledAt === null && (person.inviteUntil ?? 0) > reader.clock.now();
  return isOpen ? person : null;
}

/** Invites a user. Returns false if the address already belongs to a user. */
export async function addInvitedPerson(
  trx: ActorTransaction,
  person: Pick<PersonRecord, 'id' | 'email' | 'sealed'> & Rights,
  { hash, until }: Invitation,
): Promise<boolean> {
  const { id, email, sealed, role } = person;
  const integrations = writeAccess(person.integrations);
  const added = await trx
    .insertInto('people')
    .values({
      id,
      email,
      sealed,
      role,
      integrations,
      invite_hash: hash,
      invite_until: until,
      created_at: trx.clock.now(),
    })
    .onConflict((c) => c.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added === undefined) return false;
  const details = { person: id, role, reach: integrations };
  await recordEntry(trx, { action: 'person.invited', details });
  return true;
}

/**
 * Creates a new link for a user who lost the first link or forgot the password. The previous link becomes
 * invalid.
 */
export async function renewInvitation(
  trx: ActorTransaction,
  id: string,
  { hash, until }: Invitation,
): Promise<boolean> {
  const invited = await set(trx, id, { invite_hash: hash, invite_until: until });
  if (!invited) return false;
  await recordEntry(trx, { action: 'person.invited', details: { person: id, again: true } });
  return true;
}

/**
 * Uses up the invitation link. From now on, the user signs in with this password or this passkey. Returns null if the
 * link is invalid or has expired.
 */
export async function acceptInvitation(
  trx: ActorTransaction,
  hash: string,
  way: string | NewPasskey,
): Promise<PersonRecord | null> {
  const now = trx.clock.now();
  const password = typeof way === 'string' ? way : null;
  const joined = await trx
    .updateTable('people')
    .set((eb) => ({
      password,
      invite_hash: null,
      invite_until: null,
      joined_at: eb.fn.coalesce('joined_at', eb.val(now)),
      seen_at: now,
    }))
    .where('invite_hash', '=', hash)
    .where('invite_until', '>', now)
    .where('disabled_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (joined === undefined) return null;
  await endPersonSessions(trx, joined.id);
  const person = joined.id;
  if (typeof way === 'string') {
    await recordEntry(trx, { action: 'person.joined', details: { person } });
    return toPersonRecord(joined);
  }
  if (!(await insertPasskey(trx, person, way))) throw passkeyKnown();
  const details = { person, by: 'passkey', passkey: way.id };
  await recordEntry(trx, { action: 'person.joined', details });
  return toPersonRecord(joined);
}

/** Removes the user's password, all passkeys and the link to the identity provider. Ends all sessions of the user. */
export async function removeWaysIn(trx: ActorTransaction, id: string): Promise<void> {
  await trx.deleteFrom('passkeys').where('person_id', '=', id).execute();
  await set(trx, id, { password: null, subject: null });
  await endPersonSessions(trx, id);
}

/** Stores a new password. All sessions of the user end, except the session in which the user changed the password. */
export async function savePassword(
  trx: ActorTransaction,
  id: string,
  password: string,
  keptSession: string | null,
): Promise<boolean> {
  if (!(await set(trx, id, { password, invite_hash: null, invite_until: null }))) return false;
  await endPersonSessions(trx, id, keptSession);
  await recordEntry(trx, { action: 'person.password', details: { person: id } });
  return true;
}

/** Stores a user's new rights. The rights apply from the next request. */
export async function saveRights(
  trx: ActorTransaction,
  id: string,
  { role, integrations }: Rights,
): Promise<Changed> {
  const reach = writeAccess(integrations);
  const isOwner = role === 'owner' && reach === null;
  if (!isOwner && (await isLastOwner(trx, id))) return 'last_owner';
  if (!(await set(trx, id, { role, integrations: reach }))) return 'unknown';
  await recordEntry(trx, { action: 'person.changed', details: { person: id, role, reach } });
  return 'done';
}

/**
 * Prevents a user from signing in, or allows the user to sign in again. In both cases, the user's sessions end, and an
 * unused invitation link stops working.
 */
export async function setPersonDisabled(
  trx: ActorTransaction,
  id: string,
  isDisabled: boolean,
): Promise<Changed> {
  if (isDisabled && (await isLastOwner(trx, id))) return 'last_owner';
  const disabled_at = isDisabled ? trx.clock.now() : null;
  if (!(await set(trx, id, { disabled_at, invite_hash: null, invite_until: null }))) {
    return 'unknown';
  }
  await endPersonSessions(trx, id);
  const details = { person: id, disabled: isDisabled };
  await recordEntry(trx, { action: 'person.changed', details });
  return 'done';
}

/** Deletes a user and all stored data about the user. */
export async function deletePerson(trx: ActorTransaction, id: string): Promise<Changed> {
  if (await isLastOwner(trx, id)) return 'last_owner';
  await endPersonSessions(trx, id);
  await trx.deleteFrom('listed_contacts').where('person_id', '=', id).execute();
  await trx.deleteFrom('mail_choices').where('person_id', '=', id).execute();
  await trx.deleteFrom('passkeys').where('person_id', '=', id).execute();
  await trx.deleteFrom('crm_users').where('person_id', '=', id).execute();
  const gone = await trx
    .deleteFrom('people')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (gone === undefined) return 'unknown';
  await recordEntry(trx, { action: 'person.removed', details: { person: id } });
  return 'done';
}

/**
 * Records that a user has signed in through an identity provider. The user joins with the first sign-in. From then on,
 * the provider's subject identifies the user. Returns false if the stored subject is different.
 */
export async function recordSubject(
  trx: ActorTransaction,
  id: string,
  subject: string,
): Promise<boolean> {
  const now = trx.clock.now();
  const before = await trx
    .selectFrom('people')
    .select(['subject', 'joined_at'])
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (before === undefined || ![null, subject].includes(before.subject)) return false;
  const joined = { joined_at: now, invite_hash: null, invite_until: null };
  await set(trx, id, { subject, seen_at: now, ...(before.joined_at === null ? joined : {}) });
  if (before.subject === null) {
    await recordEntry(trx, { action: 'person.joined', details: { person: id, by: 'provider' } });
  }
  return true;
}

function toPersonRecord(row: Selectable<Tables['people']>): PersonRecord {
  return { ...fromRow(row), integrations: readAccess(row.integrations) };
}

async function set(trx: Trx, id: string, values: Partial<Tables['people']>): Promise<boolean> {
  const changed = await trx
    .updateTable('people')
    .set(values)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

async function endPersonSessions(
  trx: Trx,
  personId: string,
  kept: string | null = null,
): Promise<void> {
  await trx
    .deleteFrom('browser_sessions')
    .where('person_id', '=', personId)
    .$if(kept !== null, (query) => query.where('id', '<>', kept ?? ''))
    .execute();
}
