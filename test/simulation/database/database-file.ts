/**
 * The file of a simulated database. While processes have the file open, another program can replace it with a copy or
 * migrate it.
 */
import type { Present } from './store-night.ts';

export interface DatabaseFile {
  begin(): void;
  /** Records that a process has the file open. */
  open(client: string): void;
  /** Replaces the file with a copy. Processes that have the file open keep the old file. */
  replace(): void;
  /** Returns the time when the file that a process has open was replaced, or null if it was not replaced. */
  replacedAt(client: string): number | null;
  /** Migrates the schema like a newer version of the program. After that, this version can no longer start. */
  bringFurther(): void;
  takeBack(): void;
  /** The time since which the schema has belonged to a newer version, or null. */
  readonly newerSince: number | null;
}

/** A migration that this version of the program does not know. */
const FURTHER = '9999-further';

/** `change` runs SQL that does not come from the product. */
export function createDatabaseFile(present: Present, change: (sql: string) => void): DatabaseFile {
  /** The processes that have the file open, with the time when their file was replaced. */
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
