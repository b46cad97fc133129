/** The tables of mirrored groups; `src/store/engine/network-tables.ts` says what each column means. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createNetworks(db);
  await createMembers(db);
  await createHolds(db);
}

async function createNetworks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('networks')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('selector', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('network_id', 'text')
    .addColumn('read_run', 'text')
    .addColumn('read_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('networks_by_integration')
    .on('networks')
    .columns(['integration_id', 'created_at'])
    .execute();
  await db.schema
    .createTable('network_wanted')
    .addColumn('network', 'text', (c) => c.notNull())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('network_wanted_key', ['network', 'crm_id'])
    .execute();
  await db.schema
    .createIndex('network_wanted_by_contact')
    .on('network_wanted')
    .columns(['integration_id', 'crm_id'])
    .execute();
  await db.schema
    .createTable('network_counts')
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('network', 'text', (c) => c.notNull())
    .addColumn('place', 'integer', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('added', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('removed', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('failed', 'integer', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('network_counts_key', ['run_id', 'network'])
    .execute();
}

async function createMembers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('network_members')
    .addColumn('network', 'text', (c) => c.notNull())
    .addColumn('donor_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('add_id', 'text')
    .addColumn('detail', 'text')
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('network_members_key', ['network', 'donor_id'])
    .execute();
  await db.schema
    .createIndex('network_members_by_add')
    .on('network_members')
    .column('add_id')
    .execute();
  await db.schema
    .createTable('network_adds')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('partner_key', 'text', (c) => c.notNull())
    .addColumn('network', 'text', (c) => c.notNull())
    .addColumn('network_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('donors', 'integer', (c) => c.notNull())
    .addColumn('charged', 'integer')
    .addColumn('balance_before', 'bigint', (c) => c.notNull())
    .addColumn('job_id', 'text')
    .addColumn('intended_at', 'bigint', (c) => c.notNull())
    .addColumn('lost_at', 'bigint')
    .addColumn('closed_at', 'bigint')
    .execute();
  // The database itself sees to it that one bulk add of a key waits for its answer at a time.
  await db.schema
    .createIndex('one_unanswered_add_for_each_key')
    .unique()
    .on('network_adds')
    .column('partner_key')
    .where(sql.ref('state'), 'in', ['intended', 'lost'])
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

async function createHolds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('network_holds')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('network', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('subject', 'text')
    .addColumn('detail', 'text')
    .addColumn('opened_at', 'bigint', (c) => c.notNull())
    .addColumn('decision', 'text')
    .addColumn('decided_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('one_open_hold_for_each_network')
    .unique()
    .on('network_holds')
    .columns(['network', 'kind'])
    .where(sql.ref('decision'), 'is', null)
    .execute();
}
