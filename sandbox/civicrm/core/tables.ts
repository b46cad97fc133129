/** Stores the site's rows. Queries use the rows in memory. SQLite stores the rows, so that they survive a restart. */

import { type Database, openDatabase } from '../../../testbed/database.ts';

export type { Database };

/** A row of a table, with its values in the form in which CiviCRM's database stores values. */
export type Row = { id: number } & Record<string, unknown>;

/** The rows of one entity, sorted by ID. */
export interface Table {
  get(id: number): Row | undefined;
  all(): IterableIterator<Row>;
  /** Adds a row with the next ID. */
  insert(values: Record<string, unknown>): Row;
  update(id: number, values: Record<string, unknown>): void;
  remove(id: number): void;
  count(): number;
  /** Returns a number that increases with each change. */
  revision(): number;
}

export interface Tables {
  db: Database;
  of(entity: string): Table;
  /** Runs the function in a transaction. If the function throws an error, all rows are restored. */
  transact<Result>(work: () => Result): Result;
}

const SCHEMA = `
create table if not exists rows (
  entity text not null, id integer not null, data text not null, primary key (entity, id)
) without rowid;
create table if not exists site_settings (name text primary key, value text not null);`;

export function openTables(file: string | undefined): Tables {
  const db = openDatabase(file, SCHEMA);
  const put = db.prepare('insert or replace into rows values (?, ?, ?)');
  const drop = db.prepare('delete from rows where entity = ? and id = ?');
  const tables = new Map<string, Map<number, Row>>();
  /** An ID is never used twice. */
  const lastIds = new Map<string, number>();
  const revisions = new Map<string, number>();
  const saved = db.prepare<[], { entity: string; id: number; data: string }>(
    'select entity, id, data from rows order by entity, id',
  );
  for (const { entity, id, data } of saved.iterate()) {
    rowsOf(entity).set(id, { ...JSON.parse(data), id });
    lastIds.set(entity, id);
  }
  /** The rows as they were before the current transaction, or null if there is no transaction. */
  let journal: { entity: string; id: number; before: Row | undefined }[] | null = null;

  return {
    db,
    of: (entity) => tableOf(entity),
    transact(work) {
      if (journal !== null) return work();
      journal = [];
      try {
        return db.transaction(work)();
      } catch (error) {
        for (const { entity, id, before } of journal.reverse()) {
          if (before === undefined) rowsOf(entity).delete(id);
          else rowsOf(entity).set(id, before);
        }
        throw error;
      } finally {
        journal = null;
      }
    },
  };

  function tableOf(entity: string): Table {
    const rows = rowsOf(entity);
    return {
      get: (id) => rows.get(id),
      all: () => rows.values(),
      insert(values) {
        const id = Number(values['id'] ?? (lastIds.get(entity) ?? 0) + 1);
        const row = { ...values, id };
        store(entity, row);
        return row;
      },
      update(id, values) {
        const present = rows.get(id);
        if (present === undefined) throw new RangeError(`${entity} ${id} does not exist.`);
        store(entity, { ...present, ...values, id });
      },
      remove(id) {
        journal?.push({ entity, id, before: rows.get(id) });
        revisions.set(entity, (revisions.get(entity) ?? 0) + 1);
        rows.delete(id);
        drop.run(entity, id);
      },
      count: () => rows.size,
      revision: () => revisions.get(entity) ?? 0,
    };
  }

  function store(entity: string, row: Row): void {
    journal?.push({ entity, id: row.id, before: rowsOf(entity).get(row.id) });
    lastIds.set(entity, Math.max(lastIds.get(entity) ?? 0, row.id));
    revisions.set(entity, (revisions.get(entity) ?? 0) + 1);
    rowsOf(entity).set(row.id, row);
    put.run(entity, row.id, JSON.stringify(row));
  }

  function rowsOf(entity: string): Map<number, Row> {
    const known = tables.get(entity) ?? new Map<number, Row>();
    tables.set(entity, known);
    return known;
  }
}
