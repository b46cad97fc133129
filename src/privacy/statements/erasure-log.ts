/**
 * Records erasures outside the database. A backup that was made before an erasure still contains the person, so
 * donor-sync repeats the erasure after a restore. The log contains only keyed fingerprints.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import { hasCode } from '../../database/system-error.ts';

const entrySchema = z.object({
  /**
   * The event that this log line records. `begun`: the contact is blocked, and the CRM must still be cleared.
   * `blocked`: the ID was unknown in every integration. `erased`: the erasure is finished. `lifted`: the block was a
   * mistake and has been lifted. `left`: the whole integration was erased. `seen`: a process has opened the database
   * with this log. `backups`: backups are made in this folder.
   */
  what: z.enum(['begun', 'blocked', 'erased', 'lifted', 'left', 'seen', 'backups']),
  /** The time at which the line was written (epoch ms). */
  at: z.int(),
  /** The tag of the database that wrote the line. Empty in lines about the log file itself, such as `backups`. */
  store: z.string().default(''),
  /** The backup folder. Present only in `backups` lines. */
  folder: z.string().default(''),
  integration: z.string().default(''),
  /** The fingerprint of the contact's ID. Empty if the whole integration was erased. */
  contact: z.string().default(''),
  /** The fingerprints of other forms of the ID. */
  forms: z.array(z.string()).default([]),
  person: z
    .object({
      name: z.string(),
      addresses: z.array(z.string()).readonly(),
      employers: z.array(z.string()).readonly(),
      names: z.array(z.string()).readonly().optional(),
    })
    .nullable()
    .default(null),
  everywhere: z.boolean().default(false),
  /**
   * The fingerprints of the person's donors. donor-sync uses these fingerprints to find values that name the person.
   */
  donors: z.array(z.string()).default([]),
});

export type ErasureEntry = z.infer<typeof entrySchema>;
export type NewErasureEntry = z.input<typeof entrySchema>;

export interface ErasureLog {
  /**
   * Resolves once the entry is saved on disk. Throws a ConfigurationError if the entry cannot be written. After this
   * error, nothing may be erased.
   */
  append(entry: NewErasureEntry): Promise<void>;
  /** Returns all entries, oldest first. Returns an empty list if the log does not exist. */
  read(): Promise<ErasureEntry[]>;
  isBegun(): Promise<boolean>;
  /** Creates the log, and writes the earlier erasures into it. */
  begin(entries: readonly NewErasureEntry[]): Promise<void>;
}

/** The part of a store that has the erasure log. */
export interface WithErasureLog {
  readonly erasures: ErasureLog;
}

/**
 * Replaces the erasure log for a database in memory. This log is also used for a server database if the settings name
 * no log file.
 */
export const noErasureLog: ErasureLog = {
  append: async () => undefined,
  read: async () => [],
  isBegun: async () => true,
  begin: async () => undefined,
};

const FILE_MODE = 0o600;

export function openErasureLog(path: string): ErasureLog {
  const log: ErasureLog = {
    append: (entry) => writing(path, () => append(path, [entry], 'a')),
    read: () => writing(path, async () => parse(await readIfThere(path))),
    isBegun: () => writing(path, async () => (await readIfThere(path)) !== null),
    begin: (entries) =>
      writing(path, async () => {
        if (entries.length === 0) return;
        const draft = `${path}.draft`;
        await append(draft, entries, 'w');
        await rename(draft, path);
        await syncFolder(path);
      }),
  };
  return log;
}

/** The name of the log file in a backup folder. All databases with backups in the folder share this log file. */
export const FOLDER_LOG = 'donor-sync.erasures';

/**
 * Returns this database's tag. Several databases can write to the same log file, and the tag shows which database wrote
 * a line.
 */
export function storeTag(fingerprint: Fingerprint): string {
  return fingerprint('erasure_log', 'store');
}

/** Returns a log that reads and writes only one database's lines. Other databases' lines remain unchanged. */
export function logOfStore(log: ErasureLog, store: string): ErasureLog {
  return {
    append: (entry) => log.append({ ...entry, store }),
    read: async () => (await log.read()).filter((entry) => isOfStore(entry, store)),
    isBegun: log.isBegun,
    begin: (entries) => log.begin(entries.map((entry) => ({ ...entry, store }))),
  };
}

/** True if a line has this database's tag or no tag. A pure function. */
export function isOfStore(entry: Pick<ErasureEntry, 'store'>, store: string): boolean {
  return entry.store === '' || entry.store === store;
}

/**
 * Returns the time of the last line that a process wrote while it used the database. Returns null if there is no line.
 * A pure function.
 */
export function lastLineAt(entries: readonly ErasureEntry[]): number | null {
  const times = entries.flatMap(({ what, at }) => (what === 'backups' ? [] : at));
  return times.length === 0 ? null : times.reduce((most, at) => Math.max(most, at));
}

const SEEN_EVERY_MS = 3_600_000;

/** True if a process should now record that it uses the database. A pure function. */
export function isSeenDue(entries: readonly ErasureEntry[], now: number): boolean {
  const last = lastLineAt(entries);
  if (last === null || Math.abs(now - last) >= SEEN_EVERY_MS) return true;
  // If someone copied the log together with the backup, the copy lacks this line.
  return entries.some(({ what, at }) => what === 'backups' && at >= last);
}

async function append(
  path: string,
  entries: readonly NewErasureEntry[],
  flags: 'a' | 'w',
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  {
    await using file = await open(path, flags, FILE_MODE);
    // A power failure may have left an incomplete line. A line break at the start separates the new line from the
    // incomplete line.
    const lines = entries.map((entry) => `\n${JSON.stringify(entrySchema.parse(entry))}\n`);
    await file.appendFile(lines.join(''));
    await file.sync();
  }
  await syncFolder(path);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Parses the log. Skips an incomplete line, because its erasure did not start. */
function parse(text: string | null): ErasureEntry[] {
  return (text ?? '').split('\n').flatMap((line) => {
    if (line === '') return [];
    try {
      return entrySchema.parse(JSON.parse(line));
    } catch {
      return [];
    }
  });
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

async function writing<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new ConfigurationError(
      `The erasure log ${path} cannot be used: ${messageOf(error)}. Nothing is erased without it, because a backup could bring the person back. Make the file readable and writable.`,
      { code: 'erasure_log_unusable', cause: error },
    );
  }
}
