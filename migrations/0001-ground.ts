/** The tables of the way of a contact; `src/store/engine/tables.ts` says what each column means. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createAccounts(db);
  await createRuns(db);
  await createContacts(db);
  await createSubmissions(db);
  await createDeliveries(db);
}

async function createAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('secrets')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('integrations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('crm_account', 'text')
    .addColumn('settings', 'text')
    .addColumn('cursor', 'text')
    .addColumn('cursor_scope', 'text')
    .addColumn('run_epoch', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .execute();
  await db.schema
    .createTable('partner_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('balance', 'bigint')
    .addColumn('balance_read_at', 'bigint')
    .addColumn('spend_sequence', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('forgotten')
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id_fingerprint', 'text', (c) => c.notNull())
    .addColumn('forgotten_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('forgotten_key', ['integration_id', 'crm_id_fingerprint'])
    .execute();
}

async function createRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('runs')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('epoch', 'integer', (c) => c.notNull())
    .addColumn('trigger', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('reason_code', 'text')
    .addColumn('reason_message', 'text')
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('read_count', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('chosen_count', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('submitted_count', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('enhanced_count', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('spent_enhancements', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('report', 'text')
    .execute();
  await db.schema
    .createIndex('runs_by_integration')
    .on('runs')
    .columns(['integration_id', 'started_at'])
    .execute();
}

async function createContacts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('contacts')
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('identity', 'text', (c) => c.notNull())
    .addColumn('eligible', 'integer', (c) => c.notNull())
    .addColumn('due_reason', 'text')
    .addColumn('priority', 'integer', (c) => c.notNull())
    .addColumn('asked_identity', 'text')
    .addColumn('asked_at', 'bigint')
    .addColumn('tracking_id', 'text')
    .addColumn('donor_id', 'text')
    .addColumn('enhanced_at', 'bigint')
    .addColumn('owned_values', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('outcome_reason', 'text', (c) => c.notNull())
    .addColumn('outcome_run', 'text', (c) => c.notNull())
    .addColumn('outcome_at', 'bigint', (c) => c.notNull())
    .addColumn('outcome_detail', 'text')
    .addColumn('seen_run', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('contacts_key', ['integration_id', 'crm_id'])
    .execute();
  // Whole indexes instead of partial ones: SQLite cannot prove that a bound value fits a condition.
  await db.schema
    .createIndex('contacts_with_work')
    .on('contacts')
    .columns(['integration_id', 'state', 'priority', 'asked_at', 'crm_id'])
    .execute();
  await db.schema
    .createIndex('contacts_by_run')
    .on('contacts')
    .columns(['integration_id', 'outcome_run', 'outcome_reason'])
    .execute();
}

async function createSubmissions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('submissions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('partner_key', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('persons', 'integer', (c) => c.notNull())
    .addColumn('charged', 'integer')
    .addColumn('balance_before', 'bigint', (c) => c.notNull())
    .addColumn('intended_at', 'bigint', (c) => c.notNull())
    .addColumn('lost_at', 'bigint')
    .addColumn('closed_at', 'bigint')
    .execute();
  // The database itself sees to it that one submission of a key is open at a time.
  await db.schema
    .createIndex('one_open_submission_for_each_key')
    .unique()
    .on('submissions')
    .column('partner_key')
    .where(sql.ref('state'), 'in', ['intended', 'lost'])
    .execute();
  await db.schema
    .createIndex('submissions_by_integration')
    .on('submissions')
    .columns(['integration_id', 'intended_at'])
    .execute();
  await db.schema
    .createIndex('submissions_by_key')
    .on('submissions')
    .columns(['partner_key', 'state'])
    .execute();
  await db.schema
    .createTable('jobs')
    .addColumn('tracking_id', 'text', (c) => c.primaryKey())
    .addColumn('submission_id', 'text', (c) => c.notNull())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('identity', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('job_id', 'text')
    .addColumn('submitted_at', 'bigint', (c) => c.notNull())
    .addColumn('closed_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('jobs_at_work')
    .on('jobs')
    .columns(['integration_id', 'state', 'submitted_at', 'tracking_id'])
    .execute();
  await db.schema.createIndex('jobs_by_submission').on('jobs').column('submission_id').execute();
  await db.schema
    .createIndex('jobs_by_contact')
    .on('jobs')
    .columns(['integration_id', 'crm_id'])
    .execute();
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('writes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('before', 'text', (c) => c.notNull())
    .addColumn('after', 'text', (c) => c.notNull())
    .addColumn('owned_before', 'text', (c) => c.notNull())
    .addColumn('written_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('writes_by_run')
    .on('writes')
    .columns(['run_id', 'written_at'])
    .execute();
  await db.schema
    .createIndex('writes_by_contact')
    .on('writes')
    .columns(['integration_id', 'crm_id'])
    .execute();
  await db.schema
    .createTable('holds')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('tracking_id', 'text', (c) => c.notNull())
    .addColumn('detail', 'text')
    .addColumn('opened_at', 'bigint', (c) => c.notNull())
    .addColumn('decision', 'text')
    .addColumn('decided_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('one_open_hold_for_each_contact')
    .unique()
    .on('holds')
    .columns(['integration_id', 'crm_id'])
    .where(sql.ref('decision'), 'is', null)
    .execute();
}
