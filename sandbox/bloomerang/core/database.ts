/** Opens the stand-in's database and defines its schema. */

import { type Database, openDatabase as openFile } from '../../../testbed/database.ts';

export type { Database };

/** Opens a file, or a database in memory if no file is given. */
export function openDatabase(file: string | undefined): Database {
  return openFile(file, SCHEMA);
}

const SCHEMA = `
create table if not exists account_settings (name text primary key, value text not null) without rowid;
create table if not exists constituents (
  id integer primary key autoincrement,
  account_number integer not null,
  type text not null,
  created_at_ms integer not null,
  modified_at_ms integer not null,
  modified_by text not null,
  deleted integer not null default 0,
  hidden integer not null default 0,
  body text not null
);
create index if not exists constituents_present on constituents (type, id) where deleted = 0 and hidden = 0;
create table if not exists details (
  id integer primary key autoincrement,
  kind text not null,
  constituent_id integer not null,
  is_primary integer not null,
  modified_at_ms integer not null,
  body text not null
);
create index if not exists details_by_constituent on details (constituent_id, kind, is_primary desc, id);
create table if not exists households (
  id integer primary key autoincrement,
  modified_at_ms integer not null,
  body text not null
);
create table if not exists groups (id integer primary key autoincrement, name text not null unique, description text not null);
create table if not exists custom_fields (id integer primary key autoincrement, body text not null);
create table if not exists custom_values (
  id integer primary key autoincrement,
  field_id integer not null,
  value text not null,
  is_active integer not null default 1
);
create table if not exists changes (
  constituent_id integer not null,
  at_ms integer not null,
  by text not null,
  before text not null
);
create index if not exists changes_by_constituent on changes (constituent_id);
create table if not exists tokens (token text primary key, kind text not null, expires_at_ms integer) without rowid;
`;
