import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { RecordEntry } from '../audit/record.ts';
import { type FromRow, fromRows, maybeFromRow } from '../engine/from-row.ts';
import type { AccessTokensTable } from '../engine/service-tables.ts';
import type { Database } from '../engine/tables.ts';

export type AccessTokenRecord = FromRow<Selectable<AccessTokensTable>>;

/** Uses closer together than this are not noted: reading must not cost a write each time. */
const USE_NOTED_EVERY_MS = 60_000;

/** Who may ask the service; tokens and cookies are known by their hashes alone. */
export function accessQueries(db: Database, clock: Clock, record: RecordEntry) {
  return {
    listTokens(): Promise<AccessTokenRecord[]> {
      return db
        .selectFrom('access_tokens')
        .selectAll()
        .orderBy('created_at')
        .execute()
        .then(fromRows);
    },

    async addToken(token: Pick<AccessTokenRecord, 'id' | 'name' | 'role' | 'hash'>): Promise<void> {
      const { id, name, role } = token;
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('access_tokens')
          .values({ ...token, created_at: clock.now(), last_used_at: null })
          .execute();
        await record(trx, { action: 'token.made', details: { token: id, name, role } });
      });
    },

    /** Ends a token and the sessions that began with it; false if there is none. */
    revokeToken(id: string): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        await trx.deleteFrom('sessions').where('token_id', '=', id).execute();
        const revoked = await trx
          .deleteFrom('access_tokens')
          .where('id', '=', id)
          .returning('name')
          .executeTakeFirst();
        if (revoked === undefined) return false;
        await record(trx, { action: 'token.revoked', details: { token: id, name: revoked.name } });
        return true;
      });
    },

    async noteUse({ id, lastUsedAt }: AccessTokenRecord): Promise<void> {
      if (lastUsedAt !== null && clock.now() - lastUsedAt < USE_NOTED_EVERY_MS) return;
      await db
        .updateTable('access_tokens')
        .set({ last_used_at: clock.now() })
        .where('id', '=', id)
        .execute();
    },

    async addSession(hash: string, tokenId: string, expiresAt: number): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('sessions').where('expires_at', '<', clock.now()).execute();
        await trx
          .insertInto('sessions')
          .values({ hash, token_id: tokenId, expires_at: expiresAt })
          .execute();
        await record(trx, { action: 'session.begun', details: { token: tokenId } });
      });
    },

    /** The token behind a session that has not ended. */
    findSession(hash: string): Promise<AccessTokenRecord | undefined> {
      return db
        .selectFrom('sessions')
        .innerJoin('access_tokens', 'access_tokens.id', 'sessions.token_id')
        .selectAll('access_tokens')
        .where('sessions.hash', '=', hash)
        .where('sessions.expires_at', '>', clock.now())
        .executeTakeFirst()
        .then(maybeFromRow);
    },

    async endSession(hash: string): Promise<void> {
      await db.deleteFrom('sessions').where('hash', '=', hash).execute();
    },
  };
}
