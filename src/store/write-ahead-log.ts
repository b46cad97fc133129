import { type Kysely, SqliteAdapter, sql } from 'kysely';

/**
 * Empties SQLite's write-ahead log, which still holds the pages as they were before an erasure.
 * Does nothing on Postgres; a reader in another process leaves it to the next time.
 */
export async function emptyWriteAheadLog<Tables>(db: Kysely<Tables>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return;
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
