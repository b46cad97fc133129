import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { type FromRow, fromRow } from '../../database/from-row.ts';
import type { Database, Tables } from '../../database/tables/tables.ts';
import type { RecordEntry } from '../../privacy/audit/record.ts';
import { type ClientAccess, readAccess, writeAccess } from './client-access.ts';

export type AccessTokenRecord = Omit<
  FromRow<Selectable<Tables['access_tokens']>>,
  'integrations'
> & {
  /** The integrations within reach; null for all. */
  integrations: ClientAccess;
};

/** Uses closer together than this are not noted: reading must not cost a write each time. */
export const USE_NOTED_EVERY_MS = 60_000;

/** The access tokens; they are known by their hashes alone. */
export function accessQueries(db: Database, clock: Clock, record: RecordEntry) {
  return {
    listTokens(): Promise<AccessTokenRecord[]> {
      return db
        .selectFrom('access_tokens')
        .selectAll()
        .orderBy('created_at')
        .execute()
        .then((rows) => rows.map(toAccessToken));
    },

    async addToken(
      token: Pick<AccessTokenRecord, 'id' | 'name' | 'role' | 'hash'> & {
        integrations?: ClientAccess;
      },
    ): Promise<void> {
      const { id, name, role, hash, integrations = null } = token;
      const reach = writeAccess(integrations);
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('access_tokens')
          .values({
            id,
            name,
            role,
            hash,
            integrations: reach,
            created_at: clock.now(),
            last_used_at: null,
          })
          .execute();
        const details = { token: id, name, role, ...(reach === null ? {} : { reach }) };
        await record(trx, { action: 'token.made', details });
      });
    },

    /** Ends a token and the sessions that began with it; false if there is none. */
    revokeToken(id: string): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        await trx.deleteFrom('browser_sessions').where('token_id', '=', id).execute();
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
  };
}

export function toAccessToken(row: Selectable<Tables['access_tokens']>): AccessTokenRecord {
  return { ...fromRow(row), integrations: readAccess(row.integrations) };
}
