import { pendingMigrations } from './migrate.ts';
import type { TimedConnection } from './reader.ts';
import type { RequireInPlace } from './sqlite/database-file.ts';
import type { Tables } from './tables/tables.ts';

/**
 * What keeps the program from working with its database, in a few words; null if nothing does.
 * Throws what the database throws if it cannot be read or written.
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
  // Only writing shows that one can write; what is over has to go now and then in any case.
  const now = connection.clock.now();
  await connection.deleteFrom('browser_sessions').where('expires_at', '<', now).execute();
  return null;
}
