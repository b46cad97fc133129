import { pendingMigrations } from './migrate.ts';
import type { TimedConnection } from './reader.ts';
import type { RequireInPlace } from './sqlite/database-file.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Returns a short text that explains why the database is unusable, or null if it is usable. Throws the database's error
 * if it cannot be read or written.
 */
export async function findDatabaseProblem(
  connection: TimedConnection,
  requireInPlace: RequireInPlace,
): Promise<string | null> {
  try {
    await requireInPlace();
  } catch {
    return 'its file was deleted or replaced';
  }
  const pending = await pendingMigrations<Tables>(connection);
  if (pending.length > 0) return `the schema lacks ${pending.join(', ')}`;
  // Only a write proves that the database can be written. This write deletes expired rows, which must be deleted
  // anyway.
  const now = connection.clock.now();
  await connection.deleteFrom('browser_sessions').where('expires_at', '<', now).execute();
  return null;
}
