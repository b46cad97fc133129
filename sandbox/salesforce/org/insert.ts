/** Fills new tables quickly, without the checks for users' writes. */

import { type Database, quoted } from '../core/database.ts';
import { createId } from '../core/ids.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import type { StoredValue } from '../metadata/field.ts';
import { INTEGRATION_USER, systemValues } from '../metadata/setup-records.ts';

/** Writes a record with the given creation time, and returns its ID. Values without a column are ignored. */
export type Insert = (type: string, atMs: number, values: Record<string, StoredValue>) => string;

/** Returns a function that fills an org's tables. */
export function createInsert(db: Database, catalogue: Catalogue): Insert {
  const tables = new Map<string, Table>();
  return (name, atMs, values) => {
    const table = tables.get(name) ?? openTable(db, catalogue, name);
    tables.set(name, table);
    table.number += 1;
    const id = createId(table.keyPrefix, table.number);
    const row: Record<string, StoredValue> = { ...table.base, ...systemValues(atMs), ...values };
    row['Id'] = id;
    table.run(table.number, ...table.columns.map((column) => row[column] ?? null));
    return id;
  };
}

interface Table {
  keyPrefix: string;
  columns: readonly string[];
  base: Record<string, StoredValue>;
  /** The number of the last record. */
  number: number;
  run(...values: StoredValue[]): void;
}

function openTable(db: Database, catalogue: Catalogue, name: string): Table {
  const { keyPrefix, fields } = catalogue.get(name);
  const columns = db
    .prepare<[string], string>('select name from pragma_table_info(?)')
    .pluck()
    .all(name);
  const list = ['rowid', ...columns.map(quoted)];
  const marks = list.map(() => '?').join(', ');
  const statement = db.prepare(
    `insert into ${quoted(name)} (${list.join(', ')}) values (${marks})`,
  );
  const last = db.prepare<[], number>(`select coalesce(max(rowid), 0) from ${quoted(name)}`);
  const defaults = fields.map((field) => [field.name, field.defaultValue ?? null]);
  return {
    keyPrefix,
    columns,
    base: { ...Object.fromEntries(defaults), IsDeleted: 0, OwnerId: INTEGRATION_USER.id },
    number: last.pluck().get() ?? 0,
    run(...values) {
      statement.run(...values);
    },
  };
}
