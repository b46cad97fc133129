import { type QueryExecutorProvider, SqliteAdapter, sql } from 'kysely';
import { isPassing } from '../store-error.ts';

/**
 * Rewrites an SQLite file so that it contains no erased data. `secure_delete` does not overwrite rows that SQLite has
 * moved between pages. The write-ahead log also contains earlier pages. Returns false if another process uses the file.
 * The rewrite must then be repeated. Does nothing on Postgres, which reuses the space later.
 */
export async function overwriteErased(db: QueryExecutorProvider): Promise<boolean> {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return true;
  try {
    await sql`vacuum`.execute(db);
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    return rows[0]?.busy === 0;
  } catch (error) {
    if (isPassing(error)) return false;
    throw error;
  }
}
