/** Reads, backs up and restores all rows of all tables, and records how contacts' states change. */
import type Sqlite from 'better-sqlite3';
import type { Statements } from './statements.ts';

export type Row = Record<string, unknown>;

export type Backup = ReadonlyMap<string, readonly Row[]>;

export interface Contents {
  /** The names of the tables. A table comes after the tables to which it refers. */
  readonly names: readonly string[];
  rows(sql: string, ...parameters: unknown[]): Row[];
  backUp(): Backup;
  put(backup: Backup): void;
  watchContacts(moved: (from: string, to: string) => void): void;
}

/** Gives access to the content of a database that already has its schema. */
export function createContents(database: Sqlite.Database, { prepared }: Statements): Contents {
  const names = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map((row) => String(Reflect.get(Object(row), 'name')));
  let isPutting = false;
  return {
    names,
    rows: (sql, ...parameters) =>
      prepared(sql)
        .all(...parameters)
        .map((row) => Object(row)),
    backUp: () =>
      new Map(
        names.map((name) => [
          name,
          prepared(`select * from "${name}"`)
            .all()
            .map((row) => Object(row)),
        ]),
      ),
    put(backup) {
      // If foreign keys were switched off and on again, SQLite would discard all prepared statements. Therefore each
      // table is filled after the tables to which it refers.
      prepared('begin').run();
      isPutting = true;
      for (const name of names.toReversed()) prepared(`delete from "${name}"`).run();
      for (const name of names) {
        const rows = backup.get(name) ?? [];
        const [first] = rows;
        if (first === undefined) continue;
        const columns = Object.keys(first);
        const insert = prepared(
          `insert into "${name}" (${columns.map((column) => `"${column}"`).join()}) values (${columns.map(() => '?').join()})`,
        );
        for (const row of rows) insert.run(...Object.values(row));
      }
      prepared('commit').run();
      isPutting = false;
    },
    watchContacts(moved) {
      database.function('simulated_moved', (from, to) => {
        if (!isPutting) moved(String(from), String(to));
        return null;
      });
      database.exec(`
        create temp trigger simulated_update after update on main.contacts
          begin select simulated_moved(old.state, new.state); end;
        create temp trigger simulated_insert after insert on main.contacts
          begin select simulated_moved('unknown', new.state); end;`);
    },
  };
}
