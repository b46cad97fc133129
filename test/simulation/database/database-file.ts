/** The file of the database: others replace it by a copy, or bring its schema further, while processes have it open. */
import type { Present } from './store-night.ts';

export interface DatabaseFile {
  begin(): void;
  /** A process has it open from now on. */
  open(client: string): void;
  /** The file is replaced by a copy of itself: who has it open has another one. */
  replace(): void;
  /** When that happened to the file of a process; null if it is still the right one. */
  replacedAt(client: string): number | null;
  /** A newer version of the program brings the schema further: this one may not begin any more. */
  bringFurther(): void;
  /** The newer version is taken back, and its schema with it. */
  takeBack(): void;
  /** Since when the schema is that of a newer version; null if it is not. */
  readonly newerSince: number | null;
}

/** A step of the schema that this version of the program does not know. */
const FURTHER = '9999-further';

/** `change` is something that is done to the database by others than the product. */
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
