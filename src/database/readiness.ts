import type { Clock } from '../core/clock.ts';
import { pendingMigrations } from './migrate.ts';
import { neverReplaced, type RequireInPlace } from './sqlite/database-file.ts';
import type { Database } from './tables/tables.ts';

/** Whether the program can work with its database. */
export function readinessQueries(
  db: Database,
  clock: Pick<Clock, 'now'>,
  requireInPlace: RequireInPlace = neverReplaced,
) {
  return {
    /**
     * What keeps the program from working with its database, in a few words; null if nothing does.
     * Throws what the database throws if it cannot be read or written.
     */
    async findProblem(): Promise<string | null> {
      try {
        await requireInPlace();
      } catch {
        return 'its file was deleted or replaced';
      }
      const pending = await pendingMigrations(db);
      if (pending.length > 0) return `the schema lacks ${pending.join(', ')}`;
      // Only writing shows that one can write; what is over has to go now and then in any case.
      await db.deleteFrom('browser_sessions').where('expires_at', '<', clock.now()).execute();
      return null;
    },
  };
}
