import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRow } from '../../database/from-row.ts';
import type { Reader, TimedConnection } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';
import { type ClientAccess, readAccess, writeAccess } from './client-access.ts';

export type AccessTokenRecord = Omit<
  FromRow<Selectable<Tables['access_tokens']>>,
  'integrations'
> & {
  /** The IDs of the integrations that the token may access, or null for all integrations. */
  integrations: ClientAccess;
};

/**
 * The interval for recording a token's use. Uses within the interval are not recorded, so that not every read causes a
 * write.
 */
export const USE_NOTED_EVERY_MS = 60_000;

/** Lists all tokens, oldest first. The database stores only a hash of each token. */
export function listAccessTokens(reader: Reader): Promise<AccessTokenRecord[]> {
  return reader
    .selectFrom('access_tokens')
    .selectAll()
    .orderBy('created_at')
    .execute()
    .then((rows) => rows.map(toAccessToken));
}

/** Adds a token with access to these clients, or to all clients if the list is empty. */
export async function addAccessToken(
  trx: ActorTransaction,
  token: Pick<AccessTokenRecord, 'id' | 'name' | 'role' | 'hash'> & {
    integrations?: ClientAccess;
  },
): Promise<void> {
  const { id, name, role, hash, integrations = null } = token;
  const reach = writeAccess(integrations);
  await trx
    .insertInto('access_tokens')
    .values({
      id,
      name,
      role,
      hash,
      integrations: reach,
      created_at: trx.clock.now(),
      last_used_at: null,
    })
    .execute();
  const details = { token: id, name, role, ...(reach === null ? {} : { reach }) };
  await recordEntry(trx, { action: 'token.made', details });
}

/** Revokes a token and ends the sessions that started with it. Returns false if the token does not exist. */
export async function revokeAccessToken(trx: ActorTransaction, id: string): Promise<boolean> {
  await trx.deleteFrom('browser_sessions').where('token_id', '=', id).execute();
  const revoked = await trx
    .deleteFrom('access_tokens')
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst();
  if (revoked === undefined) return false;
  await recordEntry(trx, { action: 'token.revoked', details: { token: id, name: revoked.name } });
  return true;
}

export async function recordTokenUse(
  connection: TimedConnection,
  { id, lastUsedAt }: AccessTokenRecord,
): Promise<void> {
  const now = connection.clock.now();
  if (lastUsedAt !== null && now - lastUsedAt < USE_NOTED_EVERY_MS) return;
  await connection
    .updateTable('access_tokens')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .execute();
}

export function toAccessToken(row: Selectable<Tables['access_tokens']>): AccessTokenRecord {
  return { ...fromRow(row), integrations: readAccess(row.integrations) };
}
