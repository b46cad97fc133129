/** Clients (called integrations in code), the requests for their runs, and their connections to CRMs. */
import { type Kysely, sql } from 'kysely';
import { notNull, notNullAndUnique, primaryKey, zeroAtFirst } from './columns.ts';

export async function createClientTables(db: Kysely<unknown>): Promise<void> {
  await createIntegrations(db);
  await createSchedules(db);
  await createRunRequests(db);
  await createIdempotencyKeys(db);
  await createRereads(db);
  await createHooks(db);
  await createHookReceipts(db);
  await createDoorTokens(db);
  await createHookCalls(db);
  await createConsents(db);
  await createSetupDrafts(db);
  await createMonthResults(db);
  await createAlerts(db);
}

async function createIntegrations(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('integrations')
    .addColumn('id', 'text', primaryKey)
    .addColumn('crm_account', 'text')
    .addColumn('settings', 'text')
    .addColumn('settings_version', 'bigint', zeroAtFirst)
    .addColumn('cursor', 'text')
    .addColumn('cursor_before', 'text')
    .addColumn('cursor_scope', 'text')
    .addColumn('scope_since', 'bigint')
    .addColumn('list_scope', 'text')
    .addColumn('identity_sources', 'text')
    .addColumn('other_tool_at', 'bigint')
    .addColumn('run_epoch', 'integer', zeroAtFirst)
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('last_run', 'text')
    .addColumn('ended_contacts', 'bigint', zeroAtFirst)
    .execute();
  await db.schema
    .createIndex('integrations_by_settings')
    .on('integrations')
    .columns(['settings_version', 'id'])
    .execute();
}

async function createSchedules(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedules')
    .addColumn('integration_id', 'text', primaryKey)
    .addColumn('rule', 'text', notNull)
    .addColumn('next_run_at', 'bigint')
    .addColumn('paused', 'integer', zeroAtFirst)
    .execute();
}

async function createRunRequests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('run_requests')
    .addColumn('run_id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('contact', 'text', notNull)
    .addColumn('trigger', 'text', notNull)
    .addColumn('full', 'integer', zeroAtFirst)
    .addColumn('requested_at', 'bigint', notNull)
    .addColumn('times', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('resumed', 'integer', zeroAtFirst)
    .addColumn('left_at', 'bigint')
    .addColumn('merged_into', 'text')
    .addColumn('urgent', 'integer', zeroAtFirst)
    .addColumn('not_before', 'bigint', zeroAtFirst)
    .execute();
  // If the same run is requested several times, only one request is stored.
  await db.schema
    .createIndex('run_requests_waiting')
    .unique()
    .on('run_requests')
    .columns(['integration_id', 'contact'])
    .where(sql<boolean>`left_at is null`)
    .execute();
}

async function createIdempotencyKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('fingerprint', 'text', primaryKey)
    .addColumn('request', 'text', notNull)
    .addColumn('run_id', 'text', notNull)
    .addColumn('used_at', 'bigint', notNull)
    .execute();
}

async function createRereads(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('rereads')
    .addColumn('integration_id', 'text', primaryKey)
    .addColumn('called_at', 'bigint', notNull)
    .addColumn('times', 'integer', notNull)
    .execute();
}

async function createHooks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hooks')
    .addColumn('integration_id', 'text', primaryKey)
    .addColumn('token_hash', 'text', notNull)
    .addColumn('signature', 'text')
    .addColumn('secret', 'text')
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('last_used_at', 'bigint')
    .addColumn('ignored_count', 'bigint', zeroAtFirst)
    .addColumn('called_at', 'bigint', zeroAtFirst)
    .addColumn('opens_at', 'bigint', zeroAtFirst)
    .execute();
}

async function createHookReceipts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hook_receipts')
    .addColumn('fingerprint', 'text', primaryKey)
    .addColumn('received_at', 'bigint', notNull)
    .execute();
  await db.schema
    .createTable('door_replies')
    .addColumn('fingerprint', 'text', primaryKey)
    .addColumn('request', 'text', notNull)
    .addColumn('reply', 'text', notNull)
    .addColumn('replied_at', 'bigint', notNull)
    .execute();
  await db.schema
    .createTable('door_marks')
    .addColumn('fingerprint', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('counter', 'text', notNull)
    .addColumn('marked_at', 'bigint', notNull)
    .execute();
  await db.schema
    .createIndex('door_marks_of_a_day')
    .on('door_marks')
    .columns(['integration_id', 'counter', 'marked_at'])
    .execute();
}

async function createDoorTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('door_tokens')
    .addColumn('id', 'text', primaryKey)
    .addColumn('name', 'text', notNull)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('per_day', 'integer', notNull)
    .addColumn('hash', 'text', notNullAndUnique)
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('last_used_at', 'bigint')
    .execute();
}

async function createHookCalls(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hook_calls')
    .addColumn('id', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('at', 'bigint', notNull)
    .addColumn('last_at', 'bigint', notNull)
    .addColumn('times', 'integer', notNull)
    .addColumn('answer', 'text', notNull)
    .addColumn('contacts', 'integer', notNull)
    .addColumn('run_id', 'text')
    .execute();
  await db.schema
    .createIndex('hook_calls_by_integration')
    .on('hook_calls')
    .columns(['integration_id', 'last_at'])
    .execute();
}

async function createConsents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('consents')
    .addColumn('state_hash', 'text', primaryKey)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('verifier', 'text', notNull)
    .addColumn('expires_at', 'bigint', notNull)
    .addColumn('outcome', 'text')
    .execute();
}

async function createSetupDrafts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('setup_drafts')
    .addColumn('integration_id', 'text', primaryKey)
    .addColumn('draft', 'text', notNull)
    .addColumn('version', 'bigint', notNull)
    .addColumn('updated_at', 'bigint', notNull)
    .execute();
}

async function createMonthResults(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('month_results')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('month', 'text', notNull)
    .addColumn('results', 'text', notNull)
    .addPrimaryKeyConstraint('month_results_key', ['integration_id', 'month'])
    .execute();
}

async function createAlerts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('alerts')
    .addColumn('integration_id', 'text', notNull)
    .addColumn('subject', 'text', notNull)
    .addColumn('since', 'bigint', notNull)
    .addColumn('told_at', 'bigint')
    .addColumn('over_at', 'bigint')
    .addPrimaryKeyConstraint('alerts_key', ['integration_id', 'subject'])
    .execute();
}
