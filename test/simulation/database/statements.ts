/** Prepares and analyses each statement once for all nights. */
import type Sqlite from 'better-sqlite3';
import { type NamedStatement, namedOf } from './labels.ts';
import { isServer, type Present } from './store-night.ts';

export interface KnownStatement extends NamedStatement {
  statement: Sqlite.Statement;
}

export interface Statements {
  prepared(sql: string): Sqlite.Statement;
  /** Returns a process's statement in SQLite's dialect, with its analysis. */
  knownOf(sql: string): KnownStatement;
  begin(): void;
  /** Counts a statement. Throws an error if a process sends statements endlessly and never waits. */
  count(): void;
}

/** The maximum number of statements without another event. A process with more statements never stops sending them. */
const MOST_AT_ONCE = 50_000;

export function createStatements(database: Sqlite.Database, present: Present): Statements {
  const statements = new Map<string, Sqlite.Statement>();
  const ofMachine = new Map<string, KnownStatement>();
  const ofServer = new Map<string, KnownStatement>();
  /** The number of statements since the last event of the simulated night. */
  let atOnce = 0;
  let lastStep = -1;
  return {
    prepared,
    knownOf,
    begin() {
      atOnce = 0;
    },
    count() {
      const steps = present.night?.timeline.steps ?? 0;
      atOnce = steps === lastStep ? atOnce + 1 : 0;
      lastStep = steps;
      if (atOnce > MOST_AT_ONCE)
        throw new Error('the database is asked again and again at one moment');
    },
  };

  function prepared(sql: string): Sqlite.Statement {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  function knownOf(sql: string): KnownStatement {
    const seen = isServer(present) ? ofServer : ofMachine;
    let known = seen.get(sql);
    if (known === undefined) {
      const statement = prepared(isServer(present) ? inSqlite(sql) : sql);
      known = { ...namedOf(sql), statement };
      // While the schema does not exist, the analysis is not certain.
      if (present.night !== null) seen.set(sql, known);
    }
    return known;
  }
}

/**
 * Translates the product's Postgres statements to SQLite. The translation omits locks, because only one transaction
 * writes at a time.
 */
function inSqlite(sql: string): string {
  return sql
    .replaceAll('(extract(epoch from clock_timestamp()) * 1000)::bigint', 'simulated_now()')
    .replaceAll('pg_current_xact_id()::text', 'simulated_transaction()')
    .replaceAll('greatest(', 'max(')
    .replaceAll('least(', 'min(')
    .replaceAll('to_regclass(?) is not null', 'exists (select 1 from sqlite_master where name = ?)')
    .replaceAll(/pg_xact_status\(\?::xid8\)/g, 'simulated_status(?)')
    .replaceAll(/pg_advisory_xact_lock\(\d+\)/g, 'null')
    .replaceAll(/ for update\b/g, '');
}
