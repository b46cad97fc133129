/**
 * Stores the names of all donors. Also stores all forms of a name that lack one letter, so that the matcher finds the
 * name despite a typing error.
 */

import type { Database } from '../database.ts';
import { withinOneEdit, withOneDeletion } from './words.ts';

/** The tables of names, with the number of people who have each name. */
export type NameTable = 'first_names' | 'last_names';

/** First names or last names. */
export interface KnownNames {
  /** Returns the number of donors with the given name. */
  count(name: string): number;
  /** Changes the number of people with this name. */
  change(name: string, bearers: number): void;
  /** Returns the known names that differ from the given name by at most one edit. */
  similar(name: string): string[];
}

/** Opens the name store in a database. */
export function openKnownNames(db: Database, table: NameTable): KnownNames {
  const bearers = db
    .prepare<[string], number>(`select bearers from ${table} where name = ?`)
    .pluck();
  const change = db.prepare<[string, number]>(
    `insert into ${table} values (?, ?) on conflict do update set bearers = bearers + excluded.bearers`,
  );
  const near = db
    .prepare<[string], string>(`select name from near_${table} where shortened = ?`)
    .pluck();
  const addNear = prepareNear(db, table);
  return {
    count: (name) => bearers.get(name) ?? 0,
    change(name, by) {
      if (bearers.get(name) === undefined) addNear(name);
      change.run(name, by);
    },
    similar(name) {
      const found = withOneDeletion(name).flatMap((shortened) => near.all(shortened));
      return [...new Set(found)].filter((other) => other !== name && withinOneEdit(other, name));
    },
  };
}

/** Creates the names of one kind from the index. The caller starts the transaction. */
export function writeKnownNames(db: Database, table: NameTable, column: 'first' | 'last'): void {
  db.exec(`insert into ${table} select ${column}, count(*) from donor_index group by ${column}`);
  const addNear = prepareNear(db, table);
  const names = db.prepare<[], string>(`select name from ${table}`).pluck().all();
  for (const name of names) addNear(name);
}

function prepareNear(db: Database, table: NameTable): (name: string) => void {
  const insert = db.prepare<[string, string]>(`insert or ignore into near_${table} values (?, ?)`);
  return (name) => {
    for (const shortened of withOneDeletion(name)) insert.run(shortened, name);
  };
}
