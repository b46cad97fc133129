/** Values that the stand-in of a CRM keeps for good. */

import type { Database } from '../../testbed/database.ts';

/** The table of such values, of which each CRM has one; its columns are `name` and `value`. */
export type SettingsTable = 'account_settings' | 'org_settings';

/** Reads a value, for example what the database was filled with; undefined if there is none yet. */
export function findSetting(db: Database, table: SettingsTable, name: string): string | undefined {
  return db
    .prepare<[string], string>(`select value from ${table} where name = ?`)
    .pluck()
    .get(name);
}

/** Reads a value. The first time there is none: then `create` makes it, and it stays for good. */
export function keptSetting(
  db: Database,
  table: SettingsTable,
  name: string,
  create: () => string,
): string {
  const present = findSetting(db, table, name);
  if (present !== undefined) return present;
  const value = create();
  db.prepare(`insert into ${table} values (?, ?)`).run(name, value);
  return value;
}
