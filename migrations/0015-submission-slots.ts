/** Several submissions of a key in flight; `src/store/engine/tables.ts` says what each column means. */
import { type Kysely, PostgresAdapter, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('integrations').addColumn('slots_epoch', 'integer').execute();
  await db.schema.alterTable('submissions').addColumn('slot', 'integer').execute();
  await sql`update submissions set slot = 1 where state in ('intended', 'lost')`.execute(db);
  await db.schema.dropIndex('one_open_submission_for_each_key').execute();
  // What a version without slots puts in stands in the first one.
  await db.schema
    .createIndex('one_open_submission_for_each_slot')
    .unique()
    .on('submissions')
    .expression(sql`partner_key, coalesce(slot, 1)`)
    .where(sql.ref('state'), 'in', ['intended', 'lost'])
    .execute();
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await (isPostgres ? refuseOnPostgres(db) : refuseOnSqlite(db));
}

/**
 * A version without slots takes any open submission of a key for the only one. Where there is one, it
 * can put no other beside it: nothing is inserted, which it knows as "the key is busy".
 */
async function refuseOnSqlite(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger no_submission_without_slot before insert on submissions
    when new.slot is null and new.state in ('intended', 'lost') and exists (
      select 1 from submissions
      where partner_key = new.partner_key and state in ('intended', 'lost')
    )
    begin
      select raise(ignore);
    end`.execute(db);
}

/** The row of the key is locked by all who put a submission on disk: they come one after the other. */
async function refuseOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function no_submission_without_slot() returns trigger language plpgsql as $$
    begin
      perform 1 from partner_keys where id = new.partner_key for update;
      if exists (
        select 1 from submissions
        where partner_key = new.partner_key and state in ('intended', 'lost')
      ) then
        return null;
      end if;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger no_submission_without_slot before insert on submissions
    for each row when (new.slot is null and new.state in ('intended', 'lost'))
    execute function no_submission_without_slot()`.execute(db);
}
