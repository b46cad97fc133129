import { type QueryExecutorProvider, SqliteAdapter, sql } from 'kysely';
import { isPassing } from '../store-error.ts';

/**
 * Rewrites the file of an SQLite database, so that it contains nothing of what was erased. Its
 * pages keep bytes of old rows where rows were moved (`secure_delete` overwrites only what is
 * deleted in place), and its write-ahead log keeps earlier pages. False if another process is using
 * the file; it then has to be repeated. On Postgres nothing is done: its server reuses the space in
 * its own time.
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
