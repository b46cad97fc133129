import { type Kysely, sql } from 'kysely';
import { isPostgres } from './database-time.ts';

/** True if the database contains this table. Kysely's own check would read the columns of all tables. */
export async function hasTable<Tables>(db: Kysely<Tables>, name: string): Promise<boolean> {
  const there = isPostgres(db)
    ? sql`to_regclass(${name}) is not null`
    : sql`exists (select 1 from sqlite_master where type = 'table' and name = ${name})`;
  const { rows } = await sql<{ there: unknown }>`select ${there} as there`.execute(db);
  return rows.some((row) => row.there === true || row.there === 1);
}
