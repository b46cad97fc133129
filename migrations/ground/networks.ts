/** Groups of the CRM that donor-sync copies to networks of the service. */
import { type Kysely, sql } from 'kysely';
import { notNull, primaryKey, zeroAtFirst } from './columns.ts';

export async function createNetworkTables(db: Kysely<unknown>): Promise<void> {
  await createNetworks(db);
  await createNetworkWanted(db);
  await createNetworkMembers(db);
  await createNetworkAdds(db);
  await createRecalledAdds(db);
  await createNetworkCounts(db);
}

async function createNetworks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('networks')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('selector', 'text', notNull)
    .addColumn('name', 'text', notNull)
    .addColumn('network_id', 'text')
    .addColumn('read_run', 'text')
    .addColumn('read_at', 'bigint')
    .addColumn('created_at', 'bigint', notNull)
    .execute();
  await db.schema
    .createIndex('networks_by_integration')
    .on('networks')
    .columns(['integration_id', 'created_at'])
    .execute();
}

async function createNetworkWanted(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('network_wanted')
    .addColumn('network', 'text', notNull)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addPrimaryKeyConstraint('network_wanted_key', ['network', 'crm_id'])
    .execute();
  await db.schema
    .createIndex('network_wanted_by_contact')
    .on('network_wanted')
    .columns(['integration_id', 'crm_id'])
    .execute();
}

async function createNetworkMembers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('network_members')
    .addColumn('network', 'text', notNull)
    .addColumn('donor_id', 'text', notNull)
    .addColumn('state', 'text', notNull)
    .addColumn('add_id', 'text')
    .addColumn('detail', 'text')
    .addColumn('since', 'bigint', notNull)
    .addPrimaryKeyConstraint('network_members_key', ['network', 'donor_id'])
    .execute();
  await db.schema
    .createIndex('network_members_by_add')
    .on('network_members')
    .column('add_id')
    .execute();
}

async function createNetworkAdds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('network_adds')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('run_id', 'text', notNull)
    .addColumn('partner_key', 'text', notNull)
    .addColumn('network', 'text', notNull)
    .addColumn('network_id', 'text', notNull)
    .addColumn('state', 'text', notNull)
    .addColumn('donors', 'integer', notNull)
    .addColumn('charged', 'integer')
    .addColumn('balance_before', 'bigint', notNull)
    .addColumn('job_id', 'text')
    .addColumn('intended_at', 'bigint', notNull)
    .addColumn('lost_at', 'bigint')
    .addColumn('closed_at', 'bigint')
    .execute();
  // The index makes sure that a key has at most one bulk add in flight.
  await db.schema
    .createIndex('one_unanswered_add_for_each_key')
    .unique()
    .on('network_adds')
    .column('partner_key')
    .where(sql<boolean>`state in ('intended', 'lost')`)
    .execute();
  await db.schema
    .createIndex('network_adds_by_integration')
    .on('network_adds')
    .columns(['integration_id', 'intended_at'])
    .execute();
  await db.schema
    .createIndex('network_adds_by_state')
    .on('network_adds')
    .columns(['state', 'integration_id'])
    .execute();
  await db.schema.createIndex('network_adds_by_run').on('network_adds').column('run_id').execute();
}

async function createNetworkCounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('network_counts')
    .addColumn('run_id', 'text', notNull)
    .addColumn('network', 'text', notNull)
    .addColumn('place', 'integer', notNull)
    .addColumn('name', 'text', notNull)
    .addColumn('added', 'integer', zeroAtFirst)
    .addColumn('removed', 'integer', zeroAtFirst)
    .addColumn('failed', 'integer', zeroAtFirst)
    .addPrimaryKeyConstraint('network_counts_key', ['run_id', 'network'])
    .execute();
}

async function createRecalledAdds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('recalled_adds')
    .addColumn('add_id', 'text', notNull)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('partner_key', 'text', notNull)
    .addColumn('network_id', 'text', notNull)
    .addColumn('member_fingerprint', 'text', notNull)
    .addColumn('job_id', 'text')
    .addColumn('donors', 'integer', notNull)
    .addColumn('sent_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('recalled_adds_key', ['add_id', 'member_fingerprint'])
    .execute();
}
