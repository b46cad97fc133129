import { resolve } from 'node:path';

/** The settings that name files, for each kind of CRM that has some. */
const FILE_SETTINGS: Readonly<Record<string, readonly string[]>> = { csv: ['path', 'output'] };

const SQLITE = 'sqlite:';
const IN_MEMORY = ':memory:';

/** A SQLite file is meant from the folder of the settings file; a Postgres URL stays as it is. */
export function resolveDatabase(database: string, folder: string): string {
  if (!database.startsWith(SQLITE)) return database;
  const file = database.slice(SQLITE.length);
  return file === IN_MEMORY ? database : `${SQLITE}${resolve(folder, file)}`;
}

/** The files of a CRM's settings, meant from the folder of the settings file. */
export function resolveCrmFiles<Crm extends { kind: string }>(crm: Crm, folder: string): Crm {
  const names = FILE_SETTINGS[crm.kind] ?? [];
  const entries = Object.entries(crm).map(([name, value]) =>
    names.includes(name) && typeof value === 'string'
      ? [name, resolve(folder, value)]
      : [name, value],
  );
  return { ...crm, ...Object.fromEntries(entries) };
}
