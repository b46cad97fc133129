/** The sandbox's one database: its schema, and how it is opened. */

import Sqlite from 'better-sqlite3';

/** An open database; all modules of the sandbox share one. */
export type Database = Sqlite.Database;

/**
 * Opens a file, or a database in memory without one, and brings its schema. A sandbox may lose
 * its last moments with the machine's power, so it does not wait for the disk.
 */
export function openDatabase(file: string | undefined): Database {
  const db = new Sqlite(file ?? ':memory:');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec(SCHEMA);
  return db;
}

const SCHEMA = `
create table if not exists world (
  only integer primary key check (only = 1),
  seed integer not null,
  donors integer not null
);
create table if not exists api_keys (
  api_key text primary key,
  team text not null,
  deactivates_on text
) without rowid;
create table if not exists balances (
  team text not null,
  bucket text not null,
  granted integer not null,
  remaining integer not null check (remaining >= 0),
  primary key (team, bucket)
) without rowid;
create table if not exists ledger (
  id integer primary key,
  at_ms integer not null,
  kind text not null check (kind in ('charge', 'refund')),
  api_key text not null,
  team text not null,
  bucket text not null,
  amount integer not null,
  what text not null,
  request_id text not null
);
create table if not exists late_charges (
  id integer primary key,
  due_at_ms integer not null,
  api_key text not null,
  team text not null,
  bucket text not null,
  amount integer not null,
  what text not null,
  request_id text not null
);
create table if not exists jobs (
  id text primary key,
  team text not null,
  donor_number integer,
  error text,
  submitted_at_ms integer not null,
  ends_at_ms integer
) without rowid;
create index if not exists jobs_by_age on jobs (submitted_at_ms);
create table if not exists donor_names (
  number integer primary key,
  last text not null,
  first text not null,
  middle text not null,
  addresses text not null,
  employers text not null
);
create table if not exists first_names (name text primary key, bearers integer not null) without rowid;
create table if not exists last_names (name text primary key, bearers integer not null) without rowid;
`;
