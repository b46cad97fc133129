/** The file of the database. Others replace it with a copy, or migrate its schema, while processes have it open. */
import type { Present } from './store-night.ts';

export interface DatabaseFile {
  begin(): void;
  /** From now on, a process has it open. */
  open(client: string): void;
  /** The file is replaced with a copy of itself. Processes that have it open keep another file. */
  replace(): void;
  /** When that happened to the file of a process, or null if its file is still the right one. */
  replacedAt(client: string): number | null;
  /** A newer version of the program migrates the schema, so this version may no longer start. */
  bringFurther(): void;
  /** The newer version and its schema are removed again. */
  takeBack(): void;
  /** The time since which the schema has been a newer version's, or null if it is not. */
  readonly newerSince: number | null;
}

/** A migration that this version of the program does not know. */
const FURTHER = '9999-further';

/** `change` is a change to the database by something other than the product. */
export function createDatabaseFile(present: Present, change: (sql: string) => void): DatabaseFile {
  /** Processes by name, and when their file was replaced. */
  const opened = new Set<string>();
  const replaced = new Map<string, number>();
  let newerSince: number | null = null;
  return {
    begin() {
      opened.clear();
      replaced.clear();
      newerSince = null;
    },
    open: (client) => opened.add(client),
    replace() {
      const { night } = present;
      if (night === null) return;
      for (const name of opened) if (!replaced.has(name)) replaced.set(name, night.timeline.now());
      night.say('the file', 'of the database is replaced by a copy');
    },
    replacedAt: (client) => replaced.get(client) ?? null,
    bringFurther() {
      const { night } = present;
      if (night === null || newerSince !== null) return;
      newerSince = night.timeline.now();
      change(`insert into donor_sync_migration (name, timestamp) values ('${FURTHER}', '')`);
      night.say('a newer version', 'brings the schema further');
    },
    takeBack() {
      if (newerSince === null) return;
      newerSince = null;
      change(`delete from donor_sync_migration where name = '${FURTHER}'`);
      present.night?.say('the newer version', 'is taken back');
    },
    get newerSince() {
      return newerSince;
    },
  };
}
