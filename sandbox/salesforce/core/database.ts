/** Opens the sandbox's single database. The database contains the tables of the objects and some additional tables. */

import { type Database, openDatabase as openFile } from '../../../testbed/database.ts';

export type { Database };

/** Opens a file, or a database in memory if no file is given. */
export function openDatabase(file: string | undefined): Database {
  return openFile(file, SCHEMA);
}

/** Quotes a name for SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const SCHEMA = `
create table if not exists org_settings (name text primary key, value text not null) without rowid;
create table if not exists custom_fields (
  id text primary key,
  type text not null,
  definition text not null,
  metadata text not null
) without rowid;
create table if not exists changed_fields (
  type text not null,
  field text not null,
  definition text not null,
  primary key (type, field)
) without rowid;
create table if not exists hidden_fields (
  type text not null,
  field text not null,
  readable integer not null,
  primary key (type, field)
) without rowid;
create table if not exists hidden_types (type text primary key) without rowid;
create table if not exists hidden_records (id text primary key) without rowid;
create table if not exists access_tokens (
  token text primary key,
  user_id text not null,
  scope text not null,
  expires_at_ms integer
) without rowid;
create table if not exists refresh_tokens (
  token text primary key,
  user_id text not null,
  scope text not null
) without rowid;
create table if not exists deletions (
  type text not null,
  id text not null,
  at_ms integer not null,
  primary key (type, at_ms, id)
) without rowid;
create index if not exists deletions_by_id on deletions (id);
create table if not exists record_updates (id text primary key, updates integer not null) without rowid;
create table if not exists api_calls (hour integer primary key, calls integer not null);
`;
