/** Profiles that were paid for, and values that are not in the CRM yet; `src/store/engine/kept-tables.ts` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // The long columns come last: a look at the others does not have to read them.
  await db.schema
    .createTable('kept_profiles')
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('tracking_id', 'text', (c) => c.notNull())
    .addColumn('is_delivered', 'integer', (c) => c.notNull())
    .addColumn('field_map', 'text', (c) => c.notNull())
    .addColumn('kept_at', 'bigint', (c) => c.notNull())
    .addColumn('opted_out_at', 'bigint')
    .addColumn('donor', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('profile', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('kept_profiles_key', ['integration_id', 'crm_id'])
    .execute();
  await db.schema
    .createTable('value_states')
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('field', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('code', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('probed_at', 'bigint')
    .addPrimaryKeyConstraint('value_states_key', ['integration_id', 'crm_id', 'field'])
    .execute();
  await db.schema
    .createTable('field_maps')
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('field_map', 'text', (c) => c.notNull())
    .addColumn('lines', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('field_maps_key', ['integration_id', 'field_map'])
    .execute();
  for (const [name, table, columns] of [
    ['kept_profiles_by_map', 'kept_profiles', ['integration_id', 'field_map']],
    ['kept_profiles_by_age', 'kept_profiles', ['integration_id', 'kept_at']],
    ['value_states_by_kind', 'value_states', ['integration_id', 'state', 'field', 'code']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on(table)
      .columns([...columns])
      .execute();
  }
}
