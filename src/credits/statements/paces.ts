import { sql } from 'kysely';
import { serverTime } from '../../database/database-time.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Database } from '../../database/tables/tables.ts';

/** No reservation is further ahead than this: a row that a wrong clock has written heals by itself. */
const FURTHEST_MS = 60_000;

const nowUs = sql<number>`(${serverTime(0)}) * 1000`;

const reserve = prepared(
  (db, { key, ...slots }: Slots<{ key: string; taken: number; free: number }>) => {
    const taken = sql`cast(${slots.taken} as bigint)`;
    const rested = sql`excluded.next_at - ${taken}`;
    return sql<{ wait: number }>`
      insert into paces (id, next_at)
      values (${key}, ${nowUs} + ${taken} - cast(${slots.free} as bigint))
      on conflict (id) do update set next_at = ${taken}
        + greatest(least(paces.next_at, ${rested} + ${sql.lit(FURTHEST_MS * 1_000)}), ${rested})
      returning next_at - ${taken} - ${nowUs} as wait`.compile(db);
  },
);

/** Departures of requests, handed out to all hosts by the clock of a Postgres server: the board of `partner/key-pace.ts`. */
export function createPaceBoard(db: Database) {
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
      const { rows } = await reserve(db, {
        key,
        taken: apart * count,
        free: apart * (burst - 1),
      });
      return (rows[0]?.wait ?? 0) / 1_000;
    },

    /** Lets no request of a key leave for so long that is not under way yet. */
    async pause(key: string, ms: number): Promise<void> {
      await sql`update paces set next_at = greatest(next_at, ${nowUs} + ${sql.lit(Math.round(ms) * 1_000)})
        where id = ${key}`.execute(db);
    },
  };
}
