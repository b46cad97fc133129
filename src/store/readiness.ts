import type { Clock } from '../core/clock.ts';
import { pendingMigrations } from './migrate.ts';
import type { Database } from './tables.ts';

/** Whether the program can work with its database. */
export function readinessQueries(db: Database, clock: Pick<Clock, 'now'>) {
  return {
    /**
     * What keeps the program from working with its database, in a few words; null if nothing does.
     * Throws what the database throws if it cannot be read or written.
     */
    async findProblem(): Promise<string | null> {
      const pending = await pendingMigrations(db);
      if (pending.length > 0) return `the schema lacks ${pending.join(', ')}`;
      // Only writing shows that one can write; what is over has to go now and then in any case.
      await db.deleteFrom('sessions').where('expires_at', '<', clock.now()).execute();
      return null;
    },
  };
}
