/** Signed-in browsers. Only the hashes of the browsers' cookies are stored. */

import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { Reader, TimedConnection, TimedReader } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { type AccessTokenRecord, toAccessToken, USE_NOTED_EVERY_MS } from './access.ts';
import { findPersonBy, type PersonRecord } from './people.ts';

type Session = FromRow<Selectable<Tables['browser_sessions']>>;

/** A session as its owner sees it. */
export type SessionRecord = Omit<Session, 'hash'>;

/** Details for the audit about how a session started. */
export type SessionDetails = Readonly<Record<string, string>>;

export type SessionOwner = { tokenId: string } | { personId: string };

/** Returns the account that owns a session: a user or a token. A pure function. */
export function toAccount(owner: SessionOwner): { kind: 'person' | 'token'; id: string } {
  return 'tokenId' in owner
    ? { kind: 'token', id: owner.tokenId }
    : { kind: 'person', id: owner.personId };
}

/** A session that has not ended, and its owner. */
export interface FoundSession {
  id: string;
  /** The time of the owner's last proof of identity. Signing in is also a proof of identity. */
  provedAt: number;
  owner: { token: AccessTokenRecord } | { person: PersonRecord };
}

/** A session ends after a working day (8 hours) without requests. */
export const IDLE_MS = 8 * 3_600_000;

/**
 * The maximum length of a session: a working day and the following night. After that time, the user has to sign in
 * again.
 */
export const SESSION_MS = 24 * 3_600_000;

/** Starts a session, and deletes sessions that have expired. */
export async function addSession(
  trx: ActorTransaction,
  session: Pick<Session, 'hash' | 'id' | 'browser'>,
  owner: SessionOwner,
  by: SessionDetails = {},
) {
  const now = trx.clock.now();
  await trx.deleteFrom('browser_sessions').where('expires_at', '<', now).execute();
  await trx
    .insertInto('browser_sessions')
    .values({
      ...session,
      begun_at: now,
      seen_at: now,
      expires_at: now + SESSION_MS,
      token_id: 'tokenId' in owner ? owner.tokenId : null,
      person_id: 'personId' in owner ? owner.personId : null,
    })
    .execute();
  await recordEntry(trx, { action: 'session.begun', details: { ...toDetails(owner), ...by } });
}

/**
 * Returns the session that belongs to this cookie, and records its use. Returns null if the session has ended or its
 * owner is no longer valid.
 */
export async function resumeSession(
  connection: TimedConnection,
  hash: string,
): Promise<FoundSession | null> {
  const now = connection.clock.now();
  const active = selectActive(connection).selectAll();
  const row = await active.where('hash', '=', hash).executeTakeFirst();
  if (row === undefined) return null;
  const owner = await findOwner(connection, row);
  if (owner === null) return null;
  if (now - row.seen_at >= USE_NOTED_EVERY_MS) {
    await connection
      .updateTable('browser_sessions')
      .set({ seen_at: now })
      .where('hash', '=', hash)
      .execute();
    if (row.person_id !== null) {
      await connection
        .updateTable('people')
        .set({ seen_at: now })
        .where('id', '=', row.person_id)
        .execute();
    }
  }
  return { id: row.id, provedAt: Math.max(row.begun_at, row.proved_at ?? 0), owner };
}

/** Lists an owner's active sessions, most recently used first. */
export async function listSessions(
  reader: TimedReader,
  owner: SessionOwner,
): Promise<SessionRecord[]> {
  const rows = await ownedBy(selectActive(reader).selectAll(), owner)
    .orderBy('seen_at', 'desc')
    .orderBy('id')
    .execute();
  return fromRows(rows.map(({ hash: _, ...row }) => row));
}

/** The time for which a sign-in or a later proof of identity counts as recent. */
const PROOF_MS = 10 * 60_000;

/** True if the user has signed in or proved their identity within the last ten minutes. */
export function isRecentProof(provedAt: number, now: number): boolean {
  const passedMs = now - provedAt;
  // A negative time means that the clock was set back.
  return passedMs >= 0 && passedMs < PROOF_MS;
}

/** Records that the session's owner has proved their identity again. */
export async function recordProof(connection: TimedConnection, id: string): Promise<void> {
  await connection
    .updateTable('browser_sessions')
    .set({ proved_at: connection.clock.now() })
    .where('id', '=', id)
    .execute();
}

/** Ends the session that belongs to this cookie. Returns the session's owner, or null if there was no session. */
export async function endSession(
  connection: TimedConnection,
  hash: string,
): Promise<SessionOwner | null> {
  const row = await connection
    .deleteFrom('browser_sessions')
    .where('hash', '=', hash)
    .returning(['person_id', 'token_id'])
    .executeTakeFirst();
  if (row === undefined) return null;
  const { person_id: personId, token_id: tokenId } = row;
  return personId === null ? { tokenId: tokenId ?? '' } : { personId };
}

/** Ends an owner's session with this ID, or all of the owner's sessions except one. */
export async function endSessions(
  trx: ActorTransaction,
  owner: SessionOwner,
  which: { id: string } | { keep: string | null },
) {
  let query = ownedBy(trx.deleteFrom('browser_sessions'), owner);
  if ('id' in which) query = query.where('id', '=', which.id);
  else if (which.keep !== null) query = query.where('id', '<>', which.keep);
  const { numDeletedRows } = await query.executeTakeFirst();
  const sessions = Number(numDeletedRows);
  if (sessions === 0) return 0;
  await recordEntry(trx, { action: 'session.ended', details: { ...toDetails(owner), sessions } });
  return sessions;
}

function toDetails(owner: SessionOwner): SessionDetails {
  return 'tokenId' in owner ? { token: owner.tokenId } : { person: owner.personId };
}

function selectActive(reader: TimedReader) {
  const now = reader.clock.now();
  return reader
    .selectFrom('browser_sessions')
    .where('expires_at', '>', now)
    .where('seen_at', '>', now - IDLE_MS);
}

async function findOwner(
  reader: Reader,
  row: Selectable<Tables['browser_sessions']>,
): Promise<FoundSession['owner'] | null> {
  if (row.person_id !== null) {
    const person = await findPersonBy(reader, 'id', row.person_id);
    return person?.disabledAt === null ? { person } : null;
  }
  const token = await reader
    .selectFrom('access_tokens')
    .selectAll()
    .where('id', '=', row.token_id ?? '')
    .executeTakeFirst();
  return token === undefined ? null : { token: toAccessToken(token) };
}

function ownedBy<
  Query extends { where(column: 'token_id' | 'person_id', is: '=', id: string): Query },
>(query: Query, owner: SessionOwner): Query {
  return 'tokenId' in owner
    ? query.where('token_id', '=', owner.tokenId)
    : query.where('person_id', '=', owner.personId);
}
