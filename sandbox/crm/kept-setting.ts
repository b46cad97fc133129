/** Values that a CRM stand-in stores in its database. */

import type { Database } from '../../testbed/database.ts';

/** The table with a CRM's stored values, with the columns `name` and `value`. Each CRM has a separate table. */
export type SettingsTable = 'account_settings' | 'org_settings';

/**
 * Returns a stored value, for example the seed with which the database was filled. Returns undefined if the value is
 * not set.
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
