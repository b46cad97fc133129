import { pendingMigrations } from './migrate.ts';
import type { TimedConnection } from './reader.ts';
import type { RequireInPlace } from './sqlite/database-file.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Returns, in a few words, why the program cannot work with its database, or null if it can. Throws the database's
 * error if it cannot be read or written.
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
  // Only a write proves that writing works. Expired rows have to be deleted from time to time anyway.
  const now = connection.clock.now();
  await connection.deleteFrom('browser_sessions').where('expires_at', '<', now).execute();
  return null;
}
