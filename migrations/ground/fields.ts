/** Values that were written into the CRM, paid profiles, and profile values that the CRM does not contain yet. */
import { type Kysely, sql } from 'kysely';
import { notNull, primaryKey } from './columns.ts';

export async function createFieldTables(db: Kysely<unknown>): Promise<void> {
  await createWrites(db);
  await createKeptProfiles(db);
  await createValueStates(db);
  await createFieldMaps(db);
  await createNormalisedFields(db);
}

async function createWrites(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('writes')
    .addColumn('id', 'text', primaryKey)
    .addColumn('run_id', 'text', notNull)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('state', 'text', notNull)
    .addColumn('donor', 'text')
    .addColumn('donor_before', 'text')
    .addColumn('before', 'text', notNull)
    .addColumn('after', 'text', notNull)
    .addColumn('owned_before', 'text', notNull)
    .addColumn('introducer', 'text', notNull)
    .addColumn('introduced', 'text')
    .addColumn('named', 'text')
    .addColumn('called', 'text')
    .addColumn('written_at', 'bigint', notNull)
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
  // Each run searches for these rows and rarely finds one. The condition of the index is exactly the same as the
  // condition of the query.
  await db.schema
    .createIndex('writes_unconfirmed')
    .on('writes')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`state = 'intended'`)
    .execute();
  // An index for contacts whose IDs are not in the database. There are only a few of them.
  await db.schema
    .createIndex('writes_left')
    .on('writes')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`state = 'left'`)
    .execute();
}

async function createKeptProfiles(db: Kysely<unknown>): Promise<void> {
  // The long columns come last, so a query for the other columns does not have to read them.
  await db.schema
    .createTable('kept_profiles')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('tracking_id', 'text', notNull)
    .addColumn('is_delivered', 'integer', notNull)
    .addColumn('field_map', 'text', notNull)
    .addColumn('kept_at', 'bigint', notNull)
    .addColumn('opted_out_at', 'bigint')
    .addColumn('requested', 'text')
    .addColumn('gone_at', 'bigint')
    .addColumn('donor', 'text', notNull)
    .addColumn('key', 'text', notNull)
    .addColumn('profile', 'text', notNull)
    .addPrimaryKeyConstraint('kept_profiles_key', ['integration_id', 'crm_id'])
    .execute();
  await db.schema
    .createIndex('kept_profiles_by_age')
    .on('kept_profiles')
    .columns(['integration_id', 'kept_at'])
    .execute();
  await db.schema
    .createIndex('kept_profiles_requested')
    .on('kept_profiles')
    .columns(['integration_id', 'crm_id'])
    .where(sql<boolean>`requested is not null`)
    .execute();
  // The index contains the contact's ID, so a query about a few contacts reads only their rows.
  await db.schema
    .createIndex('kept_profiles_by_map')
    .on('kept_profiles')
    .columns(['integration_id', 'field_map', 'crm_id'])
    .execute();
  await db.schema
    .createIndex('kept_profiles_opted_out')
    .on('kept_profiles')
    .columns(['integration_id', 'opted_out_at'])
    .where(sql<boolean>`opted_out_at is not null`)
    .execute();
  // Each run searches for these rows and rarely finds one. The index has exactly the same condition as the query.
  await db.schema
    .createIndex('kept_profiles_emptied')
    .on('kept_profiles')
    .columns(['integration_id', 'donor'])
    .where(sql<boolean>`donor = ''`)
    .execute();
}

async function createValueStates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('value_states')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('field', 'text', notNull)
    .addColumn('state', 'text', notNull)
    .addColumn('code', 'text', notNull)
    .addColumn('description', 'text', notNull)
    .addColumn('since', 'bigint', notNull)
    .addColumn('probed_at', 'bigint')
    .addPrimaryKeyConstraint('value_states_key', ['integration_id', 'crm_id', 'field'])
    .execute();
  // This index also contains the contact's ID, so a query about a few contacts reads only their rows.
  await db.schema
    .createIndex('value_states_by_kind')
    .on('value_states')
    .columns(['integration_id', 'state', 'field', 'code', 'description', 'crm_id'])
    .execute();
}

async function createFieldMaps(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('field_maps')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('field_map', 'text', notNull)
    .addColumn('lines', 'text', notNull)
    .addPrimaryKeyConstraint('field_maps_key', ['integration_id', 'field_map'])
    .execute();
}

async function createNormalisedFields(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('normalised_fields')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('field', 'text', notNull)
    .addColumn('noticed_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('normalised_fields_key', ['integration_id', 'field'])
    .execute();
}
