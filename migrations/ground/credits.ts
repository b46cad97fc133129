/** Service keys, and the use of credits. */
import { type Kysely, sql } from 'kysely';
import { notNull, primaryKey, zeroAtFirst } from './columns.ts';

export async function createCreditTables(db: Kysely<unknown>): Promise<void> {
  await createPartnerKeys(db);
  await createPaces(db);
  await createMappings(db);
  await createSubmissions(db);
  await createJobs(db);
  await createClosedJobs(db);
  await createRecalledPayments(db);
  await createCreditSpans(db);
}

async function createPartnerKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('partner_keys')
    .addColumn('id', 'text', primaryKey)
    .addColumn('balance', 'bigint')
    .addColumn('balance_read_at', 'bigint')
    .addColumn('spend_sequence', 'integer', zeroAtFirst)
    .execute();
}

async function createPaces(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('paces')
    .addColumn('id', 'text', primaryKey)
    .addColumn('next_at', 'bigint', notNull)
    .execute();
}

async function createMappings(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mappings')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('id', 'text', notNull)
    .addColumn('first_seen_at', 'bigint', notNull)
    .addColumn('accepted_at', 'bigint')
    .addColumn('accepted_by', 'text')
    .addPrimaryKeyConstraint('mappings_key', ['integration_id', 'id'])
    .execute();
}

async function createSubmissions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('submissions')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('run_id', 'text', notNull)
    .addColumn('partner_key', 'text', notNull)
    .addColumn('slot', 'integer', notNull)
    .addColumn('mapping', 'text', notNull)
    .addColumn('state', 'text', notNull)
    .addColumn('persons', 'integer', notNull)
    .addColumn('charged', 'integer')
    .addColumn('balance_before', 'bigint', notNull)
    .addColumn('intended_at', 'bigint', notNull)
    .addColumn('lost_at', 'bigint')
    .addColumn('closed_at', 'bigint')
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
  // The index makes sure that each slot of a key has at most one open submission.
  await db.schema
    .createIndex('one_open_submission_for_each_slot')
    .unique()
    .on('submissions')
    .columns(['partner_key', 'slot'])
    .where(sql<boolean>`state in ('intended', 'lost')`)
    .execute();
}

async function createJobs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('jobs')
    .addColumn('tracking_id', 'text', primaryKey)
    .addColumn('submission_id', 'text', notNull)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('identity', 'text', notNull)
    .addColumn('person', 'text')
    .addColumn('reason', 'text', notNull)
    .addColumn('state', 'text', notNull)
    .addColumn('job_id', 'text')
    .addColumn('shared_from', 'text')
    .addColumn('known', 'integer')
    .addColumn('submitted_at', 'bigint', notNull)
    .addColumn('answered_at', 'bigint')
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
  await db.schema
    .createIndex('jobs_by_person')
    .on('jobs')
    .columns(['person', 'submitted_at'])
    .execute();
  await db.schema
    .createIndex('jobs_by_answer')
    .on('jobs')
    .columns(['integration_id', 'answered_at'])
    .where(sql<boolean>`answered_at is not null`)
    .execute();
  // Few jobs are changes, so an index over all reasons would slow each first sync.
  await db.schema
    .createIndex('jobs_for_changes')
    .on('jobs')
    .columns(['integration_id', 'submitted_at'])
    .where(sql<boolean>`reason = 'identity_changed'`)
    .execute();
}

async function createClosedJobs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('closed_jobs')
    .addColumn('partner_key', 'text', notNull)
    .addColumn('month', 'text', notNull)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('reason', 'text', notNull)
    .addColumn('jobs', 'bigint', notNull)
    .addPrimaryKeyConstraint('closed_jobs_key', [
      'partner_key',
      'month',
      'integration_id',
      'reason',
    ])
    .execute();
}

async function createCreditSpans(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('credit_spans')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('span', 'text', notNull)
    .addColumn('at', 'text', notNull)
    .addColumn('enhancements', 'bigint', notNull)
    .addColumn('networks', 'bigint', notNull)
    .addColumn('queries', 'bigint', notNull)
    .addColumn('written', 'bigint', notNull)
    .addPrimaryKeyConstraint('credit_spans_key', ['integration_id', 'span', 'at'])
    .execute();
  await db.schema
    .createIndex('credit_spans_by_month')
    .on('credit_spans')
    .columns(['at', 'integration_id', 'enhancements', 'networks', 'queries', 'written'])
    .where(sql<boolean>`span = 'month'`)
    .execute();
}

async function createRecalledPayments(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('recalled_payments')
    .addColumn('tracking_id', 'text', primaryKey)
    .addColumn('submission_id', 'text', notNull)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('contact_fingerprint', 'text', notNull)
    .addColumn('identity', 'text', notNull)
    .addColumn('person', 'text')
    .addColumn('job_id', 'text')
    .addColumn('paid_at', 'bigint', notNull)
    .execute();
  await db.schema
    .createIndex('recalled_payments_by_contact')
    .on('recalled_payments')
    .columns(['integration_id', 'contact_fingerprint'])
    .execute();
  await db.schema
    .createIndex('recalled_payments_by_person')
    .on('recalled_payments')
    .column('person')
    .execute();
}
