/** People who sign in, and what each may reach; `src/store/engine/people-tables.ts` says what each column means. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('access_tokens').addColumn('integrations', 'text').execute();
  await db.schema
    .createTable('people')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('integrations', 'text')
    .addColumn('password', 'text')
    .addColumn('subject', 'text', (c) => c.unique())
    .addColumn('invite_hash', 'text', (c) => c.unique())
    .addColumn('invite_until', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('joined_at', 'bigint')
    .addColumn('seen_at', 'bigint')
    .addColumn('disabled_at', 'bigint')
    .execute();
  await remakeSessions(db);
}

/** A session belongs to a token or to a person; those that are there go on. */
async function remakeSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('browser_sessions')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('token_id', 'text')
    .addColumn('person_id', 'text')
    .addColumn('browser', 'text')
    .addColumn('begun_at', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  const day = sql.lit(86_400_000);
  await sql`
    insert into browser_sessions (hash, id, token_id, begun_at, seen_at, expires_at)
    select hash, substr(hash, 1, 16), token_id, expires_at - ${day}, expires_at, expires_at
    from sessions`.execute(db);
  await db.schema.dropTable('sessions').execute();
}
