/** The state of each contact, its status in the CRM, and marks that exclude many contacts. */
import { type Kysely, sql } from 'kysely';
import { notNull, zeroAtFirst } from './columns.ts';

export async function createContactTables(db: Kysely<unknown>): Promise<void> {
  await createContacts(db);
  await createContactStatuses(db);
  await createMarkQuestions(db);
}

async function createContacts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('contacts')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('state', 'text', notNull)
    .addColumn('identity', 'text', notNull)
    .addColumn('eligible', 'integer', notNull)
    .addColumn('due_reason', 'text')
    .addColumn('priority', 'integer', notNull)
    .addColumn('asked_identity', 'text')
    .addColumn('asked_at', 'bigint')
    .addColumn('last_credit', 'text')
    .addColumn('tracking_id', 'text')
    .addColumn('donor_id', 'text')
    .addColumn('enhanced_at', 'bigint')
    .addColumn('owned_values', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('values_donor', 'text')
    .addColumn('values_identity', 'text')
    .addColumn('outcome_reason', 'text', notNull)
    .addColumn('outcome_run', 'text')
    .addColumn('outcome_at', 'bigint', notNull)
    .addColumn('outcome_detail', 'text')
    .addColumn('seen_run', 'text')
    .addColumn('departure_read', 'integer', zeroAtFirst)
    .addColumn('merged_into', 'text')
    .addColumn('has_opted_out', 'integer', zeroAtFirst)
    .addColumn('missing_since', 'bigint')
    .addColumn('currency', 'text')
    .addPrimaryKeyConstraint('contacts_key', ['integration_id', 'crm_id'])
    .execute();
  // The indexes cover all rows. SQLite does not use a partial index if the condition depends on a bound value.
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
  // An index over all rows would slow each first sync, although only very few contacts match.
  await db.schema
    .createIndex('contacts_to_reconsider')
    .on('contacts')
    .columns(['integration_id', 'state', 'crm_id'])
    .where(sql<boolean>`last_credit <> 'stands'`)
    .execute();
  // Few contacts are merged, so an index over all contacts would slow each first sync.
  await db.schema
    .createIndex('contacts_by_heir')
    .on('contacts')
    .columns(['integration_id', 'merged_into'])
    .where(sql<boolean>`merged_into is not null`)
    .execute();
  await db.schema
    .createIndex('contacts_missing')
    .on('contacts')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`missing_since is not null`)
    .execute();
  await db.schema
    .createIndex('contacts_opted_out')
    .on('contacts')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`has_opted_out <> 0`)
    .execute();
  // Indexes for rows that each run searches for and rarely finds. Without these indexes, a run that finds no changes
  // would read all contacts several times. The conditions of the indexes are exactly the conditions of the queries.
  await db.schema
    .createIndex('contacts_renamed')
    .on('contacts')
    .columns(['integration_id', 'crm_id'])
    .where(
      sql<boolean>`values_donor is not null and values_identity is not null
        and asked_identity <> values_identity and identity <> values_identity`,
    )
    .execute();
  await db.schema
    .createIndex('contacts_to_blank')
    .on('contacts')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`values_donor is not null and values_identity is null`)
    .execute();
}

async function createContactStatuses(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('contact_statuses')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('seen', 'text', notNull)
    .addColumn('status', 'text')
    .addPrimaryKeyConstraint('contact_statuses_key', ['integration_id', 'crm_id'])
    .execute();
}

async function createMarkQuestions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mark_questions')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('mark', 'text', notNull)
    .addColumn('asked_at', 'bigint', notNull)
    .addColumn('confirmed_at', 'bigint')
    .addPrimaryKeyConstraint('mark_questions_key', ['integration_id', 'mark'])
    .execute();
}
