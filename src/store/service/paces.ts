import { sql } from 'kysely';
import { databaseTime } from '../engine/database-time.ts';
import type { Database } from '../engine/tables.ts';

/** No reservation is further ahead than this: a row that a wrong clock has written heals by itself. */
const FURTHEST_MS = 60_000;

/** Departures of requests, handed out to all hosts by the clock of a Postgres server. */
export function paceQueries(db: Database) {
  // Whatever clock this process has.
  const fromNow = databaseTime(db, { now: Date.now });
  const nowUs = sql<number>`(${fromNow(0)}) * 1000`;

  return {
    /**
     * Reserves departures of a key, so far apart from each other; after a rest `burst` of them are free
     * at once. Returns how long after now the first one is (ms), below zero after a rest. What a process
     * reserves and does not use is lost with it.
     */
    async reserve(
      key: string,
      { count, apartMs, burst }: { count: number; apartMs: number; burst: number },
    ): Promise<number> {
      const apart = Math.round(apartMs * 1_000);
      const taken = sql.lit(apart * count);
      const rested = sql`excluded.next_at - ${taken}`;
      const { rows } = await sql<{ wait: number }>`
        insert into paces (id, next_at)
        values (${key}, ${nowUs} + ${taken} - ${sql.lit(apart * (burst - 1))})
        on conflict (id) do update set next_at = ${taken}
          + greatest(least(paces.next_at, ${rested} + ${sql.lit(FURTHEST_MS * 1_000)}), ${rested})
        returning next_at - ${taken} - ${nowUs} as wait`.execute(db);
      return (rows[0]?.wait ?? 0) / 1_000;
    },

    /** Lets no request of a key leave for so long that is not under way yet. */
    async pause(key: string, ms: number): Promise<void> {
      await sql`update paces set next_at = greatest(next_at, ${nowUs} + ${sql.lit(Math.round(ms) * 1_000)})
        where id = ${key}`.execute(db);
    },
  };
}
