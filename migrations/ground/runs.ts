/** Runs, their results for each contact, and the events that the CRM reported during a run. */
import { type Kysely, sql } from 'kysely';
import { notNull, primaryKey, zeroAtFirst } from './columns.ts';

export async function createRunTables(db: Kysely<unknown>): Promise<void> {
  await createRuns(db);
  await createRunRows(db);
  await createForeignTexts(db);
}

async function createRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('runs')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('epoch', 'integer', notNull)
    .addColumn('trigger', 'text', notNull)
    .addColumn('contact', 'text')
    .addColumn('full', 'integer', notNull)
    .addColumn('trial', 'integer', zeroAtFirst)
    .addColumn('status', 'text', notNull)
    .addColumn('reason_code', 'text')
    .addColumn('reason_message', 'text')
    .addColumn('started_at', 'bigint', notNull)
    .addColumn('finished_at', 'bigint')
    .addColumn('stop_asked_at', 'bigint')
    .addColumn('read_count', 'integer', zeroAtFirst)
    .addColumn('chosen_count', 'integer', zeroAtFirst)
    .addColumn('submitted_count', 'integer', zeroAtFirst)
    .addColumn('enhanced_count', 'integer', zeroAtFirst)
    .addColumn('shared_count', 'integer', zeroAtFirst)
    .addColumn('fresh_count', 'integer')
    .addColumn('spent_enhancements', 'integer', zeroAtFirst)
    .addColumn('reasons', 'text')
    .addColumn('report', 'text')
    .addColumn('facts', 'text')
    .addColumn('undone_at', 'bigint')
    .addColumn('undone_values', 'integer', zeroAtFirst)
    .addColumn('undone_contacts', 'integer', zeroAtFirst)
    .addColumn('undone_kept', 'integer', zeroAtFirst)
    .execute();
  await db.schema
    .createTable('run_undos')
    .addColumn('run_id', 'text', primaryKey)
    .addColumn('author', 'text', notNull)
    .execute();
  await db.schema
    .createIndex('runs_by_integration')
    .on('runs')
    .columns(['integration_id', 'started_at'])
    .execute();
  await db.schema
    .createIndex('runs_by_start')
    .on('runs')
    .expression(sql`started_at desc, id, status, "trigger"`)
    .execute();
  // Indexes for lists that are not sorted by time. With these indexes, a query does not read all runs. The indexes also
  // contain the filters.
  await db.schema
    .createIndex('runs_by_duration')
    .on('runs')
    .expression(sql`(coalesce(finished_at - started_at, -1)), id, status, "trigger"`)
    .execute();
  await db.schema
    .createIndex('runs_by_spending')
    .on('runs')
    .columns(['spent_enhancements', 'id', 'status', 'trigger'])
    .execute();
  await db.schema
    .createIndex('runs_by_outcome')
    .on('runs')
    .columns(['integration_id', 'status', 'started_at'])
    .execute();
}

async function createRunRows(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('run_rows')
    .addColumn('run_id', 'text', notNull)
    .addColumn('place', 'integer', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('reason', 'text', notNull)
    .addColumn('detail', 'text')
    .addColumn('at', 'bigint', notNull)
    .addPrimaryKeyConstraint('run_rows_key', ['run_id', 'place', 'crm_id'])
    .execute();
  // With this index, an erasure finds all rows of a contact.
  await db.schema.createIndex('run_rows_by_contact').on('run_rows').column('crm_id').execute();
  await db.schema
    .createIndex('run_rows_by_reason')
    .on('run_rows')
    .columns(['run_id', 'reason', 'place', 'crm_id'])
    .execute();
}

async function createForeignTexts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('foreign_texts')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('run_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('sealed', 'text', notNull)
    .addColumn('kept_at', 'bigint', notNull)
    .execute();
  await db.schema
    .createIndex('foreign_texts_by_run')
    .on('foreign_texts')
    .column('run_id')
    .execute();
  await db.schema
    .createIndex('foreign_texts_by_contact')
    .on('foreign_texts')
    .columns(['integration_id', 'crm_id'])
    .execute();
  await db.schema
    .createIndex('foreign_texts_by_age')
    .on('foreign_texts')
    .column('kept_at')
    .execute();
}
