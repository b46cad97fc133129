import { type QueryExecutorProvider, SqliteAdapter, sql } from 'kysely';
import { isPassing } from '../store-error.ts';

/**
 * Rewrites an SQLite database's file, so it no longer contains erased data. Its pages keep bytes of rows that were
 * moved, because `secure_delete` overwrites only rows that are deleted in place. Its write-ahead log keeps earlier
 * pages. Returns false if another process is using the file, in which case the rewrite must be repeated. Does nothing
 * on Postgres, whose server reuses the space at some later time.
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
