/** Values that a CRM stand-in stores in its database. */

import type { Database } from '../../testbed/database.ts';

/** The table with these values. Each CRM has its own table. Its columns are `name` and `value`. */
export type SettingsTable = 'account_settings' | 'org_settings';

/**
 * Returns a stored value, or undefined if it is not set. For example, the seed with which the database was filled is
 * such a value.
 */
export function findSetting(db: Database, table: SettingsTable, name: string): string | undefined {
  return db
    .prepare<[string], string>(`select value from ${table} where name = ?`)
    .pluck()
    .get(name);
}

/** Returns a stored value. If the value does not exist yet, calls `create` and stores the result. */
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
