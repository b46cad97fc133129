/** Opens the stand-in's database and defines its schema. */

import { type Database, openDatabase as openFile } from '../../../testbed/database.ts';
import { keptSetting } from '../../crm/kept-setting.ts';

export type { Database };

/** Opens a file, or a database in memory if no file is given. */
export function openDatabase(file: string | undefined): Database {
  return openFile(file, SCHEMA);
}

/**
 * Returns a setting of the account, for example its seed. If the setting does not exist yet, calls `create` and stores
 * the result.
 */
export function accountSetting(db: Database, name: string, create: () => string): string {
  return keptSetting(db, 'account_settings', name, create);
}

/**
 * Returns the SQL for a table of records, which contains each record as JSON, and separate columns for the values that
 * searches use.
 */
function recordTable(name: string): string {
  return `
create table if not exists ${name} (
  id integer primary key autoincrement,
  created_at_ms integer not null,
  modified_at_ms integer not null,
  archived_at_ms integer,
  merged_into integer,
  email text,
  properties text not null
);`;
}

const SCHEMA = `
create table if not exists account_settings (name text primary key, value text not null) without rowid;
${recordTable('contacts')}
${recordTable('companies')}
create table if not exists versions (
  version integer primary key,
  type text not null,
  id integer not null,
  replaced_at_ms integer not null,
  replaced_by text not null,
  existed integer not null,
  modified_at_ms integer not null,
  archived_at_ms integer,
  merged_into integer,
  former_values text not null
);
create index if not exists versions_by_record on versions (type, id);
create table if not exists associations (
  contact_id integer not null,
  company_id integer not null,
  kind text not null,
  primary key (contact_id, company_id, kind)
) without rowid;
create index if not exists associations_by_company on associations (company_id, contact_id);
create table if not exists properties (
  type text not null,
  name text not null,
  definition text not null,
  archived_at_ms integer,
  primary key (type, name)
) without rowid;
create table if not exists property_validations (
  type text not null,
  property text not null,
  rule_type text not null,
  rule text not null,
  primary key (type, property, rule_type)
) without rowid;
create table if not exists hidden_records (
  type text not null,
  id integer not null,
  primary key (type, id)
) without rowid;
create table if not exists property_groups (
  type text not null,
  name text not null,
  label text not null,
  display_order integer not null,
  archived integer not null,
  primary key (type, name)
) without rowid;
create table if not exists access_tokens (
  token text primary key,
  kind text not null,
  app_id integer not null,
  user_id integer not null,
  scopes text not null,
  expires_at_ms integer
) without rowid;
create table if not exists api_calls (day text primary key, calls integer not null) without rowid;
`;
