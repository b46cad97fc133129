/** A backup that an operator restores with the product's own command, and the erasure log next to it. */

import type { Application } from '../../../src/application.ts';
import { holdAll } from '../../../src/backup/backup.ts';
import type { JournalLine } from '../../../src/credits/statements/journal/journal-lines.ts';
import type { SpendingJournal } from '../../../src/credits/statements/journal/spending-journal.ts';
import type { ErasureEntry, ErasureLog } from '../../../src/privacy/statements/erasure-log.ts';
import type { LoggedWrite, WriteLog } from '../../../src/privacy/statements/write-log.ts';
import type { Backup } from '../database/contents.ts';
import type { SharedStore } from '../database/store.ts';
import type { Life } from '../processes/process.ts';

/** Creates the erasure log on a separate disk, which does not change when the database is restored. */
export function createErasureLog(): { openFor(life: Life): ErasureLog } {
  let entries: ErasureEntry[] | null = null;
  return {
    openFor: (life) => ({
      async append(entry) {
        // Recording that a process is running erases nothing, so a kill at this point would prove nothing.
        if (entry.what === 'seen') {
          entries = [...(entries ?? []), whole(entry)];
          return;
        }
        await life.point('note erasure');
        entries = [...(entries ?? []), whole(entry)];
        await life.point('note erasure done');
      },
      read: async () => [...(entries ?? [])],
      isBegun: async () => entries !== null,
      async begin(earlier) {
        if (earlier.length > 0) entries = earlier.map(whole);
      },
    }),
  };
}

/** Creates the spending journal on the disk of the database. */
export function createSpendingJournal(): {
  openFor(life: Life): SpendingJournal;
  /** Removes the second half of the lines. */
  cut(): void;
  /** Removes all lines since this time, as if the whole disk had been restored. */
  putBack(at: number): void;
} {
  let lines: JournalLine[] = [];
  return {
    cut() {
      lines = lines.slice(0, Math.ceil(lines.length / 2));
    },
    putBack(at) {
      lines = lines.filter((line) => line.at <= at);
    },
    openFor: (life) => ({
      path: '/simulated.spending',
      async append(line) {
        await life.point(`journal ${line.what}`);
        lines.push(line);
        await life.point(`journal ${line.what} done`);
      },
      findOldest: async () => lines[0]?.at ?? null,
      read: async () => ({ lines: [...lines], damaged: 0 }),
      async rewrite(change) {
        await life.point('rewrite journal');
        const before = lines;
        lines = before.flatMap((line) => change(line) ?? []);
        return lines.some((line, at) => line !== before[at]) || lines.length < before.length;
      },
    }),
  };
}

/** Creates the write log on the disk of the database. */
export function createWriteLog(): WriteLog {
  const lines: LoggedWrite[] = [];
  return {
    async append(more) {
      lines.push(...more);
    },
    read: async (since) => lines.filter(({ at }) => at >= since),
    examine: async () => [],
  };
}

function whole(entry: Parameters<ErasureLog['append']>[0]): ErasureEntry {
  const { contact = '', forms = [], person = null, everywhere = false } = entry;
  const { store = '', folder = '', integration = '' } = entry;
  const { donors = [] } = entry;
  return { ...entry, store, folder, integration, contact, forms, person, everywhere, donors };
}

export interface Restoring {
  store: SharedStore;
  backup: { rows: Backup; at: number };
  /** Opens the product in a process and calls `task`. Returns null if the process does not finish. */
  atWork<Result>(task: (application: Application) => Promise<Result>): Promise<Result | null>;
}

/**
 * Returns true if the backup has replaced the database. As with the real command, the new file is complete before it
 * replaces the old file. A complete file therefore always exists.
 */
export async function putBack({ store, backup, atWork }: Restoring): Promise<boolean> {
  const before = store.backUp();
  store.restore(backup.rows);
  const held = await atWork((application) => holdAll(application, backup.at));
  if (held === null) store.restore(before);
  return held !== null;
}
