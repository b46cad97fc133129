/** The users' passkeys, and the challenges that browsers have answered. */

import type { Selectable } from 'kysely';
import { z } from 'zod';
import { ConfigurationError } from '../../core/errors.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { isPostgres } from '../../database/database-time.ts';
import { type FromRow, fromRow } from '../../database/from-row.ts';
import type { Reader } from '../../database/reader.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { isLastOwner } from './owners.ts';

/** The maximum number of passkeys per user. Nobody has this many devices. */
export const MAX_PASSKEYS = 20;

/** A passkey as the database stores it. The passkey's name is encrypted. */
export type PasskeyRecord = Omit<FromRow<Selectable<Tables['passkeys']>>, 'transports'> & {
  transports: readonly string[];
};

/** A passkey that an authenticator has created. */
export type NewPasskey = Pick<
  PasskeyRecord,
  'id' | 'credential' | 'publicKey' | 'counter' | 'transports' | 'host' | 'sealed'
>;

/** The outcome of adding a passkey. */
export type PasskeyAdded = 'done' | 'known' | 'too_many' | 'unknown_person';
export type PasskeyRemoved = 'done' | 'unknown' | 'last_way' | 'last_owner';

export interface PasskeyRemoval {
  personId: string;
  id: string;
  /**
   * True to remove a passkey even if it is the user's last way to sign in. The last owner always keeps one way to sign
   * in.
   */
  alsoLast: boolean;
  hasProvider: boolean;
  /** True if users can sign in with a password. Defaults to true. */
  passwordsCount?: boolean;
  /** The session that continues. All sessions of the user except this session end. */
  keptSession: string | null;
}

/** Lists the passkeys of a user, or of all users, in order of creation. */
export async function listPasskeys(
  reader: Reader,
  personId: string | null,
): Promise<PasskeyRecord[]> {
  const rows = await reader
    .selectFrom('passkeys')
    .selectAll()
    .$if(personId !== null, (query) => query.where('person_id', '=', personId ?? ''))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(toPasskey);
}

/** True if any user has a passkey. */
export async function hasPasskeys(reader: Reader): Promise<boolean> {
  const row = await reader.selectFrom('passkeys').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Finds a passkey by the ID that its authenticator gave it. */
export async function findPasskeyByCredential(
  reader: Reader,
  credential: string,
): Promise<PasskeyRecord | null> {
  const row = await reader
    .selectFrom('passkeys')
    .selectAll()
    .where('credential', '=', credential)
    .executeTakeFirst();
  return row === undefined ? null : toPasskey(row);
}

/** Adds a passkey for a user who is allowed to sign in. */
export async function addPasskey(
  trx: ActorTransaction,
  personId: string,
  passkey: NewPasskey,
): Promise<PasskeyAdded> {
  const person = await lockPerson(trx, personId);
  if (person === undefined || person.disabled_at !== null) return 'unknown_person';
  if ((await readIds(trx, personId)).length >= MAX_PASSKEYS) return 'too_many';
  if (!(await insertPasskey(trx, personId, passkey))) return 'known';
  const details = { person: personId, passkey: passkey.id };
  await recordEntry(trx, { action: 'passkey.added', details });
  return 'done';
}

/** Removes a passkey and ends the sessions of the passkey's user. */
export async function deletePasskey(
  trx: ActorTransaction,
  removal: PasskeyRemoval,
): Promise<PasskeyRemoved> {
  const { personId, id, alsoLast, hasProvider, keptSession, passwordsCount = true } = removal;
  // Reads this before it locks the user, because transactions lock owners in the order of their IDs.
  const wouldBeMissed = alsoLast && (await isLastOwner(trx, personId));
  // If two passkeys are removed at the same time, the second transaction waits here. The second transaction then finds
  // only one passkey.
  const person = await lockPerson(trx, personId);
  const ids = await readIds(trx, personId);
  if (person === undefined || !ids.includes(id)) return 'unknown';
  const hasOther =
    ids.length > 1 ||
    (passwordsCount && person.password !== null) ||
    (hasProvider && person.subject !== null);
  if (!hasOther && !alsoLast) return 'last_way';
  const hasAny = ids.length > 1 || person.password !== null || person.subject !== null;
  if (!hasAny && wouldBeMissed) return 'last_owner';
  await trx.deleteFrom('passkeys').where('id', '=', id).execute();
  await trx
    .deleteFrom('browser_sessions')
    .where('person_id', '=', personId)
    .$if(keptSession !== null, (query) => query.where('id', '<>', keptSession ?? ''))
    .execute();
  const details = { person: personId, passkey: id };
  await recordEntry(trx, { action: 'passkey.removed', details });
  return 'done';
}

/**
 * Records a use of a passkey. If the passkey's counter has not increased, adds an audit entry and returns false. If the
 * counter has not increased, two copies of the passkey exist, or someone sent the same signature twice.
 */
export async function recordPasskeyUse(
  trx: ActorTransaction,
  { id, personId }: Pick<PasskeyRecord, 'id' | 'personId'>,
  counter: number,
) {
  const used = await trx
    .updateTable('passkeys')
    .set({ counter, last_used_at: trx.clock.now() })
    .where('id', '=', id)
    .where((eb) => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
    .returning('id')
    .executeTakeFirst();
  if (used !== undefined) return true;
  const details = { person: personId, passkey: id, why: 'counter' };
  await recordEntry(trx, { action: 'passkey.refused', details });
  return false;
}

/**
 * Uses up a challenge, which its hash identifies. Returns false if the challenge was used before. The database stores
 * the hash until the challenge expires.
 */
export async function spendChallenge(
  trx: ActorTransaction,
  hash: string,
  until: number,
): Promise<boolean> {
  await trx.deleteFrom('spent_challenges').where('until', '<', trx.clock.now()).execute();
  const spent = await trx
    .insertInto('spent_challenges')
    .values({ hash, until })
    .onConflict((c) => c.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst();
  return spent !== undefined;
}

export async function insertPasskey(
  trx: ActorTransaction,
  personId: string,
  { id, credential, publicKey, counter, transports, host, sealed }: NewPasskey,
): Promise<boolean> {
  const added = await trx
    .insertInto('passkeys')
    .values({
      id,
      person_id: personId,
      credential,
      public_key: publicKey,
      counter,
      host,
      sealed,
      transports: JSON.stringify(transports),
      created_at: trx.clock.now(),
      last_used_at: null,
    })
    .onConflict((c) => c.column('credential').doNothing())
    .returning('id')
    .executeTakeFirst();
  return added !== undefined;
}

/** Creates the error for a passkey that is already registered. Throwing the error also rolls back the transaction. */
export function passkeyKnown(): ConfigurationError {
  return new ConfigurationError('This passkey is already registered.', { code: 'passkey_known' });
}

function lockPerson(trx: Trx, id: string) {
  return trx
    .selectFrom('people')
    .select(['password', 'subject', 'disabled_at'])
    .where('id', '=', id)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .executeTakeFirst();
}

async function readIds(reader: Reader, personId: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('passkeys')
    .select('id')
    .where('person_id', '=', personId)
    .execute();
  return rows.map(({ id }) => id);
}

const transportsSchema = z.array(z.string());

function toPasskey(row: Selectable<Tables['passkeys']>): PasskeyRecord {
  return { ...fromRow(row), transports: transportsSchema.parse(JSON.parse(row.transports)) };
}
