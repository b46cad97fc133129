/**
 * Runs that are watched and stopped from outside, and lists of them that stay quick; `src/store/engine/tables.ts`
 * says what each column means.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('runs').addColumn('stop_asked_at', 'bigint').execute();
  await db.schema.alterTable('runs').addColumn('facts', 'text').execute();
  await db.schema.alterTable('runs').addColumn('reasons', 'text').execute();
  await db.schema.alterTable('integrations').addColumn('last_run', 'text').execute();
  await sql`
    update integrations set last_run = (
      select runs.id from runs where runs.integration_id = integrations.id
      order by runs.started_at desc, runs.id limit 1
    )`.execute(db);
  await sql`create index runs_by_start on runs (started_at desc, id, status, "trigger")`.execute(
    db,
  );
  await db.schema
    .createIndex('runs_by_outcome')
    .on('runs')
    .columns(['integration_id', 'status', 'started_at'])
    .execute();
  await db.schema
    .createIndex('run_rows_by_reason')
    .on('run_rows')
    .columns(['run_id', 'reason', 'place', 'crm_id'])
    .execute();
}
