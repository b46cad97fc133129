import { sql } from 'kysely';
import { serverTime } from '../../database/database-time.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Database } from '../../database/tables/tables.ts';

/** The latest valid sending time. A row from a wrong clock therefore corrects itself. */
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

/** Assigns sending times to all hosts, by the clock of Postgres. Implements the board in `partner/key-pace.ts`. */
export function createPaceBoard(db: Database) {
  return {
    /**
     * Reserves sending times that are `apartMs` apart. After a pause, `burst` requests can be sent immediately. Returns
     * the wait before the first request (ms), which can be negative. Unused times are lost.
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

    /** Delays all requests with a key that are not sent yet. */
    async pause(key: string, ms: number): Promise<void> {
      await sql`update paces set next_at = greatest(next_at, ${nowUs} + ${sql.lit(Math.round(ms) * 1_000)})
        where id = ${key}`.execute(db);
    },
  };
}
