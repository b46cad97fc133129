/** Users, access tokens, passkeys, browser sessions, and the addresses of the server. */
import type { Kysely } from 'kysely';
import { notNull, notNullAndUnique, primaryKey, unique } from './columns.ts';

export async function createPeopleTables(db: Kysely<unknown>): Promise<void> {
  await createPeople(db);
  await createAccessTokens(db);
  await createBrowserSessions(db);
  await createPasskeys(db);
  await createCrmUsers(db);
  await createSpentChallenges(db);
  await createSignInAttempts(db);
  await createAddresses(db);
  await createMailChoices(db);
}

async function createPeople(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('people')
    .addColumn('id', 'text', primaryKey)
    .addColumn('email', 'text', notNullAndUnique)
    .addColumn('sealed', 'text', notNull)
    .addColumn('role', 'text', notNull)
    .addColumn('integrations', 'text')
    .addColumn('password', 'text')
    .addColumn('subject', 'text', unique)
    .addColumn('invite_hash', 'text', unique)
    .addColumn('invite_until', 'bigint')
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('joined_at', 'bigint')
    .addColumn('seen_at', 'bigint')
    .addColumn('disabled_at', 'bigint')
    .addColumn('email_proof', 'text', unique)
    .addColumn('email_proof_until', 'bigint')
    .addColumn('email_verified_at', 'bigint')
    .execute();
}

async function createMailChoices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mail_choices')
    .addColumn('person_id', 'text', notNull)
    .addColumn('kind', 'text', notNull)
    .addColumn('chosen_at', 'bigint', notNull)
    .addColumn('month', 'text', notNull)
    .addPrimaryKeyConstraint('mail_choices_key', ['person_id', 'kind'])
    .execute();
}

async function createAccessTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('access_tokens')
    .addColumn('id', 'text', primaryKey)
    .addColumn('name', 'text', notNull)
    .addColumn('role', 'text', notNull)
    .addColumn('hash', 'text', notNullAndUnique)
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('last_used_at', 'bigint')
    .addColumn('integrations', 'text')
    .execute();
}

async function createBrowserSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('browser_sessions')
    .addColumn('hash', 'text', primaryKey)
    .addColumn('id', 'text', notNullAndUnique)
    .addColumn('token_id', 'text')
    .addColumn('person_id', 'text')
    .addColumn('browser', 'text')
    .addColumn('begun_at', 'bigint', notNull)
    .addColumn('seen_at', 'bigint', notNull)
    .addColumn('expires_at', 'bigint', notNull)
    .addColumn('proved_at', 'bigint')
    .execute();
}

async function createCrmUsers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('crm_users')
    .addColumn('id', 'text', primaryKey)
    .addColumn('person_id', 'text', notNull)
    .addColumn('fingerprint', 'text', notNullAndUnique)
    .addColumn('sealed', 'text', notNull)
    .addColumn('linked_at', 'bigint', notNull)
    .execute();
  await db.schema.createIndex('crm_users_person').on('crm_users').column('person_id').execute();
}

async function createPasskeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('passkeys')
    .addColumn('id', 'text', primaryKey)
    .addColumn('person_id', 'text', notNull)
    .addColumn('credential', 'text', notNullAndUnique)
    .addColumn('public_key', 'text', notNull)
    .addColumn('counter', 'bigint', notNull)
    .addColumn('transports', 'text', notNull)
    .addColumn('host', 'text', notNull)
    .addColumn('sealed', 'text', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema.createIndex('passkeys_person').on('passkeys').column('person_id').execute();
  await db.schema
    .createTable('listed_contacts')
    .addColumn('person_id', 'text', notNull)
    .addColumn('integration_id', 'text', notNull)
    .addColumn('crm_id', 'text', notNull)
    .addColumn('listed_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('listed_contacts_key', ['person_id', 'integration_id', 'crm_id'])
    .execute();
  await db.schema
    .createIndex('listed_contacts_by_contact')
    .on('listed_contacts')
    .columns(['integration_id', 'crm_id'])
    .execute();
}

async function createSpentChallenges(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('spent_challenges')
    .addColumn('hash', 'text', primaryKey)
    .addColumn('until', 'bigint', notNull)
    .execute();
}

async function createSignInAttempts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sign_in_attempts')
    .addColumn('key', 'text', primaryKey)
    .addColumn('count', 'integer', notNull)
    .addColumn('until', 'bigint', notNull)
    .execute();
  await db.schema
    .createIndex('sign_in_attempts_until')
    .on('sign_in_attempts')
    .column('until')
    .execute();
}

async function createAddresses(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('addresses')
    .addColumn('id', 'text', primaryKey)
    .addColumn('slot', 'text', unique)
    .addColumn('url', 'text', notNull)
    .addColumn('secret', 'text')
    .addColumn('browser', 'text')
    .addColumn('proposed_by', 'text')
    .addColumn('proposed_at', 'bigint', notNull)
    .addColumn('confirmed_at', 'bigint')
    .addColumn('until', 'bigint')
    .execute();
}
