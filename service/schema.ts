/** Updates a database to the schema of this version, one step after another. */

import type { Database } from './database-file.ts';

/** A step of the update. Each database executes a step only once. */
export interface SchemaStep {
  /** The step's number and purpose. */
  name: string;
  bring(db: Database): unknown;
}

/**
 * Executes all steps that the database lacks, either all of them or none. Throws if the database contains a step from a
 * newer version.
 */
export function bringSchema(db: Database, steps: readonly SchemaStep[]): void {
  const taken = readTaken(db);
  const unknown = taken.find((name) => steps.every((step) => step.name !== name));
  if (unknown !== undefined) {
    throw new Error(
      `The database was written by a newer version, which has applied the migration "${unknown}". Use that version, or a backup from before.`,
    );
  }
  const missing = steps.filter(({ name }) => !taken.includes(name));
  if (missing.length === 0) return;
  db.transaction(() => {
    db.exec('create table if not exists schema_steps (name text primary key) without rowid');
    // Another process may have executed some of the steps in the meantime.
    const done = readTaken(db);
    for (const { name, bring } of missing.filter((step) => !done.includes(step.name))) {
      bring(db);
      db.prepare<[string]>('insert into schema_steps values (?)').run(name);
    }
  }).immediate();
}

function readTaken(db: Database): string[] {
  const exists = db.prepare("select 1 from sqlite_schema where name = 'schema_steps'").get();
  if (exists === undefined) return [];
  return db.prepare<[], string>('select name from schema_steps').pluck().all();
}
