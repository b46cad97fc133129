/** People who must not be enhanced again, and the audit log. */
import type { Kysely } from 'kysely';
import { notNull, primaryKey } from './columns.ts';

export async function createPrivacyTables(db: Kysely<unknown>): Promise<void> {
  await createForgotten(db);
  await createAutomaticErasures(db);
  await createAuditEntries(db);
  await createAuditKeys(db);
  await createAuditHead(db);
  await createChainBirths(db);
}

async function createForgotten(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('forgotten')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id_fingerprint', 'text', notNull)
    .addColumn('state', 'text', notNull)
    .addColumn('person', 'text')
    .addColumn('everywhere', 'integer', notNull)
    .addColumn('donors', 'text', notNull)
    .addColumn('receipt', 'text')
    .addColumn('forgotten_at', 'bigint', notNull)
    .addColumn('erased_at', 'bigint')
    .addPrimaryKeyConstraint('forgotten_key', ['integration_id', 'crm_id_fingerprint'])
    .execute();
}

async function createAutomaticErasures(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('automatic_erasures')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('day', 'integer', notNull)
    .addColumn('count', 'integer', notNull)
    .addPrimaryKeyConstraint('automatic_erasures_key', ['integration_id', 'day'])
    .execute();
}

async function createAuditEntries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_entries')
    .addColumn('seq', 'bigint', primaryKey)
    .addColumn('at', 'bigint', notNull)
    .addColumn('integration_id', 'text')
    .addColumn('action', 'text', notNull)
    .addColumn('key_id', 'text')
    .addColumn('sealed', 'text', notNull)
    .addColumn('hash', 'text', notNull)
    .execute();
  await db.schema.createIndex('audit_entries_by_time').on('audit_entries').column('at').execute();
  await db.schema
    .createIndex('audit_entries_by_integration')
    .on('audit_entries')
    .columns(['integration_id', 'seq'])
    .execute();
  await db.schema
    .createIndex('audit_entries_by_action')
    .on('audit_entries')
    .columns(['action', 'seq'])
    .execute();
}

async function createAuditKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_keys')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('sealed', 'text', notNull)
    .addUniqueConstraint('audit_keys_by_contact', ['integration_id', 'crm_id'])
    .execute();
}

async function createAuditHead(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_head')
    .addColumn('id', 'integer', primaryKey)
    .addColumn('seq', 'bigint', notNull)
    .addColumn('hash', 'text', notNull)
    .addColumn('mark', 'text', notNull)
    .addColumn('purged_seq', 'bigint', notNull)
    .addColumn('purged_hash', 'text')
    .addColumn('purged_mark', 'text')
    .execute();
}

async function createChainBirths(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('chain_births')
    .addColumn('id', 'integer', primaryKey)
    .addColumn('at', 'bigint', notNull)
    .addColumn('hash', 'text', notNull)
    .addColumn('mark', 'text', notNull)
    .execute();
}
