/** Questions that users have to answer, answers that are not in force yet, and what waits for a second user. */
import { type Kysely, sql } from 'kysely';
import { notNull, primaryKey } from './columns.ts';

export async function createDecisionTables(db: Kysely<unknown>): Promise<void> {
  await createHolds(db);
  await createNetworkHolds(db);
  await createWaitingDecisions(db);
  await createApprovals(db);
}

async function createHolds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('holds')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('kind', 'text', notNull)
    .addColumn('batch', 'text')
    .addColumn('tracking_id', 'text', notNull)
    .addColumn('detail', 'text')
    .addColumn('opened_at', 'bigint', notNull)
    .addColumn('decision', 'text')
    .addColumn('decided_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('open_holds_by_age')
    .on('holds')
    .columns(['opened_at', 'id'])
    .where(sql<boolean>`decision is null`)
    .execute();
  await db.schema
    .createIndex('missing_contacts_to_wait_for')
    .on('holds')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`kind = 'contacts_missing' and decision = 'rejected'`)
    .execute();
  await db.schema
    .createIndex('doubtful_opt_outs')
    .on('holds')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`kind = 'mass_opt_out'`)
    .execute();
  // Whether a contact is missing, has opted out or is to be erased are separate questions, and each can be open at the
  // same time as the one about its profile.
  await db.schema
    .createIndex('one_open_hold_for_each_contact')
    .unique()
    .on('holds')
    .expression(
      sql`integration_id, crm_id, (case kind when 'contacts_missing' then 1
        when 'mass_opt_out' then 2 when 'erasure_requested' then 3 else 0 end)`,
    )
    .where(sql<boolean>`decision is null`)
    .execute();
  await db.schema
    .createIndex('erasure_requests')
    .on('holds')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`kind = 'erasure_requested'`)
    .execute();
}

async function createNetworkHolds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('network_holds')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('network', 'text', notNull)
    .addColumn('kind', 'text', notNull)
    .addColumn('subject', 'text')
    .addColumn('detail', 'text')
    .addColumn('opened_at', 'bigint', notNull)
    .addColumn('decision', 'text')
    .addColumn('decided_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('one_open_hold_for_each_network')
    .unique()
    .on('network_holds')
    .columns(['network', 'kind'])
    .where(sql<boolean>`decision is null`)
    .execute();
}

async function createWaitingDecisions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('waiting_decisions')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('about', 'text', notNull)
    .addColumn('subject', 'text', notNull)
    .addColumn('opened_until', 'bigint')
    .addColumn('decision', 'text', notNull)
    .addColumn('actor', 'text', notNull)
    .addColumn('counts_at', 'bigint', notNull)
    .addColumn('claimed_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('one_waiting_decision_for_each_subject')
    .unique()
    .on('waiting_decisions')
    .columns(['integration_id', 'about', 'subject'])
    .execute();
}

async function createApprovals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('approvals')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text')
    .addColumn('digest', 'text', notNull)
    .addColumn('asked', 'text', notNull)
    .addColumn('asked_at', 'bigint', notNull)
    .addColumn('runs_out_at', 'bigint', notNull)
    .addColumn('confirmed_at', 'bigint')
    .addColumn('confirmed_by', 'text')
    .execute();
  await db.schema
    .createIndex('one_approval_of_the_same')
    .unique()
    .on('approvals')
    .columns(['integration_id', 'digest'])
    .execute();
}
