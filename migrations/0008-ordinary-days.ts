/**
 * Trials of mappings, holds that share a cause, and identity sources; `src/store/engine/tables.ts` says
 * what each column means. Every integration is read anew once: fingerprints of older versions are
 * carried over by that, without a credit.
 */
import { type Kysely, sql } from 'kysely';

type Reading = { integrations: { cursor: string | null } };

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('integrations').addColumn('identity_sources', 'text').execute();
  await db.schema.alterTable('holds').addColumn('batch', 'text').execute();
  await db.schema.alterTable('submissions').addColumn('mapping', 'text').execute();
  await db.schema.alterTable('jobs').addColumn('known', 'integer').execute();
  await db.schema.alterTable('jobs').addColumn('answered_at', 'bigint').execute();
  await db.schema
    .createTable('mappings')
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('first_seen_at', 'bigint', (c) => c.notNull())
    .addColumn('accepted_at', 'bigint')
    .addColumn('accepted_by', 'text')
    .addPrimaryKeyConstraint('mappings_primary_key', ['integration_id', 'id'])
    .execute();
  await db.schema
    .createIndex('jobs_by_answer')
    .on('jobs')
    .columns(['integration_id', 'answered_at'])
    .where(sql.ref('answered_at'), 'is not', null)
    .execute();
  // Few jobs are changes: an index of all reasons would cost each first sync.
  await db.schema
    .createIndex('jobs_for_changes')
    .on('jobs')
    .columns(['integration_id', 'submitted_at'])
    .where(sql.ref('reason'), '=', 'identity_changed')
    .execute();
  await db.withTables<Reading>().updateTable('integrations').set({ cursor: null }).execute();
}
