/** Opens the service's database and defines its schema. */

import { type Database, type Opening, openFile } from './database-file.ts';
import { INDEX_TABLES } from './matcher/tables.ts';
import { NETWORK_TABLES } from './networks/tables.ts';
import { OPERATION_TABLES } from './operation/tables.ts';
import {
  JOINED_TABLES,
  PART_COLUMNS,
  PART_TABLES,
  RECORD_TABLES,
  RETURN_TABLES,
  REVIEW_TABLES,
  VACANCY_TABLES,
} from './record/tables.ts';
import { bringSchema, type SchemaStep } from './schema.ts';

export type { Database };

/**
 * The size of the database cache. The cache is large because searches read all connections of a team's networks, which
 * take several hundred megabytes.
 */
const CACHE_KIB = 128 * 1024;

/**
 * Opens a database file or a copy of another database's content. Without a file or a content, opens a new database in
 * memory.
 */
export function openDatabase(file: string | Buffer | undefined, opening?: Opening): Database {
  const db = openFile(file, opening);
  try {
    bringSchema(db, STEPS);
    db.pragma(`cache_size = -${CACHE_KIB}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const SCHEMA = `
create table if not exists settled_people (
  only integer primary key check (only = 1),
  seed integer not null,
  donors integer not null,
  real_people text not null
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
  ends_at_ms integer,
  match text
) without rowid;
create index if not exists jobs_by_age on jobs (submitted_at_ms);
create table if not exists circle_names (
  circle integer primary key,
  name text not null,
  entity_type text not null
);
create table if not exists tie_columns (name text primary key, bytes blob not null);
create table if not exists search_columns (name text primary key, bytes blob not null);
create table if not exists search_places (number integer primary key, name text not null);
create table if not exists lists (
  position integer primary key,
  list_id text not null unique,
  team text not null,
  name text not null,
  is_system integer not null,
  created_at_ms integer not null,
  unique (team, name)
);
create table if not exists list_donors (
  position integer primary key autoincrement,
  list_id text not null,
  donor_number integer not null,
  added_at_ms integer not null,
  unique (list_id, donor_number)
);
create index if not exists list_donors_in_order on list_donors (list_id, position);
create table if not exists exports (
  position integer primary key,
  export_id text not null unique,
  team text not null,
  format text not null,
  fields text not null,
  donor_count integer not null,
  created_at_ms integer not null,
  file blob not null
);
create index if not exists exports_of_team on exports (team, position);
`;

/** Adds the column with a job's match to files from the first versions, which lack the column. */
function addMatchOfJobs(db: Database): void {
  addColumn(db, 'jobs', 'match', 'text');
}

/** Earlier versions did not store a charge's state, so the service does not know whether the work was done. */
const CHARGE_STATES = [
  ['ledger', 'state', "text check (state in ('open', 'settled', 'refunded'))"],
  ['ledger', 'refund_of', 'integer'],
  ['jobs', 'charge', 'integer'],
  ['jobs', 'person', 'text'],
] as const;

const CHARGE_INDEXES = `
create unique index if not exists ledger_refunds on ledger (refund_of) where refund_of is not null;
create index if not exists ledger_open on ledger (id) where state = 'open';
create index if not exists jobs_unmatched on jobs (submitted_at_ms) where person is not null;
create index if not exists jobs_by_charge on jobs (charge) where charge is not null;
`;

function addStatesOfCharges(db: Database): void {
  for (const [table, column, type] of CHARGE_STATES) addColumn(db, table, column, type);
  db.exec(CHARGE_INDEXES);
}

/** Adds the columns and tables that are needed to undo a join. */
function addParts(db: Database): void {
  for (const [table, column, type] of PART_COLUMNS) addColumn(db, table, column, type);
  db.exec(PART_TABLES);
}

/**
 * Adds a column with the day on which the data about people ends. In files from earlier versions, all people have one
 * common day.
 */
function addDayOfPeople(db: Database): void {
  addColumn(db, 'settled_people', 'as_of', "text not null default '2026-07-01'");
}

/** Deletes keys that do not belong to anyone. Earlier versions stored such keys together with tax returns. */
function dropKeysOfNobody(db: Database): void {
  db.exec('delete from record_return_people where key not in (select key from record_keys)');
}

function addColumn(db: Database, table: string, column: string, type: string): void {
  const columns = db.prepare<[], string>(`select name from pragma_table_info('${table}')`).pluck();
  if (!columns.all().includes(column)) db.exec(`alter table ${table} add column ${column} ${type}`);
}

/** The steps of the schema. New steps are added only at the end. A released step must never be changed. */
const STEPS: readonly SchemaStep[] = [
  { name: '0001 stand-in', bring: (db) => db.exec(SCHEMA + INDEX_TABLES + NETWORK_TABLES) },
  { name: '0002 match of jobs', bring: addMatchOfJobs },
  { name: '0003 imported people', bring: (db) => db.exec(RECORD_TABLES) },
  { name: '0004 teams and their keys', bring: (db) => db.exec(OPERATION_TABLES) },
  { name: '0005 erased and joined people', bring: (db) => db.exec(VACANCY_TABLES) },
  { name: '0006 states of charges', bring: addStatesOfCharges },
  { name: '0007 pairs to review', bring: (db) => db.exec(REVIEW_TABLES) },
  {
    name: '0008 readiness',
    bring: (db) =>
      db.exec(
        'create table if not exists readiness (only integer primary key check (only = 1), at_ms integer not null)',
      ),
  },
  { name: '0009 parts of joined donors', bring: addParts },
  { name: '0010 returns', bring: (db) => db.exec(RETURN_TABLES) },
  { name: '0011 places of joined donors', bring: (db) => db.exec(JOINED_TABLES) },
  { name: '0012 day of the people', bring: addDayOfPeople },
  { name: '0013 returns without erased people', bring: dropKeysOfNobody },
];
