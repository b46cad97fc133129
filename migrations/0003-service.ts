/** The tables of the service that runs for years; `src/store/engine/service-tables.ts` explains them. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTriggers(db);
  await createAccess(db);
  await createAlerts(db);
}

async function createTriggers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedules')
    .addColumn('integration_id', 'text', (c) => c.primaryKey())
    .addColumn('rule', 'text', (c) => c.notNull())
    .addColumn('next_run_at', 'bigint')
    .addColumn('paused', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('run_requests')
    .addColumn('run_id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('contact', 'text', (c) => c.notNull())
    .addColumn('trigger', 'text', (c) => c.notNull())
    .addColumn('full', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('requested_at', 'bigint', (c) => c.notNull())
    .addColumn('times', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('resumed', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('left_at', 'bigint')
    .addColumn('merged_into', 'text')
    .execute();
  // However often the same is asked for, it waits once.
  await db.schema
    .createIndex('run_requests_waiting')
    .on('run_requests')
    .columns(['integration_id', 'contact'])
    .unique()
    .where(sql.ref('left_at'), 'is', null)
    .execute();
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('fingerprint', 'text', (c) => c.primaryKey())
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('used_at', 'bigint', (c) => c.notNull())
    .execute();
}

async function createAccess(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('access_tokens')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema
    .createTable('sessions')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('token_id', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('hooks')
    .addColumn('integration_id', 'text', (c) => c.primaryKey())
    .addColumn('token_hash', 'text', (c) => c.notNull())
    .addColumn('signature', 'text')
    .addColumn('secret', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema
    .createTable('hook_receipts')
    .addColumn('fingerprint', 'text', (c) => c.primaryKey())
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('consents')
    .addColumn('state_hash', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('verifier', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('outcome', 'text')
    .execute();
}

async function createAlerts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('alerts')
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('told_at', 'bigint')
    .addColumn('over_at', 'bigint')
    .addPrimaryKeyConstraint('alerts_key', ['integration_id', 'subject'])
    .execute();
}
