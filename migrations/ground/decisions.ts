/** Questions that users have to answer, and answers that have not taken effect yet. */
import { type Kysely, sql } from 'kysely';
import { notNull, primaryKey } from './columns.ts';

export async function createDecisionTables(db: Kysely<unknown>): Promise<void> {
  await createQuestions(db);
  await createAnswers(db);
}

async function createQuestions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('questions')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text')
    .addColumn('network', 'text')
    .addColumn('kind', 'text', notNull)
    .addColumn('batch', 'text')
    .addColumn('tracking_id', 'text')
    .addColumn('matter', 'text')
    .addColumn('detail', 'text')
    .addColumn('opened_at', 'bigint', notNull)
    .addColumn('decision', 'text')
    .addColumn('decided_at', 'bigint')
    .addCheckConstraint('about_a_contact_or_a_network', sql`crm_id is null or network is null`)
    .execute();
  await db.schema
    .createIndex('open_questions_by_age')
    .on('questions')
    .columns(['opened_at', 'id'])
    .where(sql<boolean>`decision is null`)
    .execute();
  await db.schema
    .createIndex('missing_contacts_to_wait_for')
    .on('questions')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`kind = 'contacts_missing' and decision = 'rejected'`)
    .execute();
  await db.schema
    .createIndex('doubtful_opt_outs')
    .on('questions')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`kind = 'mass_opt_out'`)
    .execute();
  await db.schema
    .createIndex('contacts_paid_since_backup')
    .on('questions')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`kind = 'paid_since_backup'`)
    .execute();
  // There are separate questions for a missing contact, an opt-out, and a possible erasure. Each of them can be open at
  // the same time as a question about the contact's profile.
  await db.schema
    .createIndex('one_open_question_for_each_contact')
    .unique()
    .on('questions')
    .expression(
      sql`integration_id, crm_id, (case kind when 'contacts_missing' then 1
        when 'mass_opt_out' then 2 when 'erasure_requested' then 3
        when 'workflow_limit' then 4 else 0 end)`,
    )
    .where(sql<boolean>`decision is null and crm_id is not null`)
    .execute();
  await db.schema
    .createIndex('one_open_question_for_each_network')
    .unique()
    .on('questions')
    .columns(['network', 'kind'])
    .where(sql<boolean>`decision is null and network is not null`)
    .execute();
  await db.schema
    .createIndex('erasure_requests')
    .on('questions')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`kind = 'erasure_requested'`)
    .execute();
}

async function createAnswers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('answers')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('about', 'text', notNull)
    .addColumn('subject', 'text', notNull)
    .addColumn('opened_until', 'bigint')
    .addColumn('crm_id', 'text')
    .addColumn('decision', 'text')
    .addColumn('given', 'text', notNull)
    .addColumn('given_at', 'bigint', notNull)
    .addColumn('needs', 'text')
    .addColumn('in_force_from', 'bigint')
    .addColumn('void_from', 'bigint')
    .addColumn('confirmed_by', 'text')
    .addColumn('claimed_at', 'bigint')
    // A second user must confirm some answers. The constraint makes sure that such an answer takes effect only after
    // the confirmation.
    .addCheckConstraint(
      'in_force_once_confirmed',
      sql`needs is null or in_force_from is null or confirmed_by is not null`,
    )
    .execute();
  await db.schema
    .createIndex('one_answer_for_each_subject')
    .unique()
    .on('answers')
    .columns(['integration_id', 'about', 'subject'])
    .execute();
}
