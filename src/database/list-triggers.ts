import { type Kysely, sql } from 'kysely';
import { isPostgres } from './database-time.ts';

/** The names of all triggers on tables of the database's own schema; donor-sync makes none. */
export async function listTriggers<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const listed = isPostgres(db)
    ? sql<{
        name: string;
      }>`select t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace order by t.tgname`
    : sql<{ name: string }>`select name from sqlite_master where type = 'trigger' order by name`;
  const { rows } = await listed.execute(db);
  return rows.map(({ name }) => name);
}
