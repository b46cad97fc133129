/**
 * Keeps the erasure log in several places: next to the database, at the places in the settings, and in every folder in
 * which backups were made. Every line is written to every place. As long as one place is readable after a loss of data,
 * it shows which people were erased.
 */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ErasureEntry, type ErasureLog, FOLDER_LOG, isOfStore } from './erasure-log.ts';
import { findWriteProblem } from './find-write-problem.ts';

/** A place for an erasure log. */
export interface ErasurePlace {
  path: string;
  kind: 'live' | 'named' | 'backups';
  /**
   * The state of the place. `gone` means that the backup folder does not exist, for example because its disk is not
   * mounted.
   */
  state: 'writable' | 'gone' | 'unwritable';
  /** The reason why donor-sync cannot write to the place, or null if it can. */
  problem: string | null;
}

/** An erasure log that is kept in several places. */
export interface ErasurePlaces extends ErasureLog {
  /** Copies missing lines to each place. Returns the paths of places to which it could not write. */
  bringUp(): Promise<string[]>;
  /** Checks each place without writing to it. */
  examine(): Promise<ErasurePlace[]>;
}

export interface ErasurePlacesOptions {
  /** The path of the log next to the database. */
  live: string;
  /** The paths of the logs in the settings. */
  named: readonly string[];
  /** Backup folders that may be missing from the log, for example the folder of the backup that is being restored. */
  folders?: readonly string[];
  /** The tag of the database. If the database is not open, the tag is null, and lines of all databases are copied. */
  store: string | null;
  open(path: string): ErasureLog;
}

export function openErasurePlaces(options: ErasurePlacesOptions): ErasurePlaces {
  const { live, open } = options;
  const named = options.named.filter((path) => path !== live);
  const required = [...named, live];

  return {
    /** Writes to the log next to the database last, because the erasure may start once this log has the line. */
    async append(entry) {
      for (const path of required) await open(path).append(entry);
      await copyToFolders();
    },
    read,
    async isBegun() {
      for (const path of required) if (await open(path).isBegun()) return true;
      return false;
    },
    begin: (entries) => open(live).begin(entries),
    async bringUp() {
      const entries = await read();
      const failed: string[] = [];
      for (const path of required) {
        if (!(await copied(path, entries))) failed.push(path);
      }
      return [...failed, ...(await copyToFolders(entries))];
    },
    async examine() {
      const folders = foldersIn(await readEntries(required));
      return [
        await examined(live, 'live'),
        ...(await Promise.all(named.map((path) => examined(path, 'named')))),
        ...(await Promise.all(
          folders.map((folder) => examined(join(folder, FOLDER_LOG), 'backups')),
        )),
      ];
    },
  };

  /**
   * Returns the lines of all places. The lines are in the order of the log next to the database. Lines that only other
   * places contain are added.
   */
  async function read(): Promise<ErasureEntry[]> {
    const own = await readEntries(required);
    const folders = new Set([...foldersIn(own), ...(options.folders ?? [])]);
    return union([own, ...(await Promise.all([...folders].map(readFolder)))]);
  }

  function isOurs(line: ErasureEntry): boolean {
    return options.store === null || isOfStore(line, options.store);
  }

  async function readEntries(paths: readonly string[]): Promise<ErasureEntry[]> {
    return union(await Promise.all(paths.toReversed().map((path) => open(path).read())));
  }

  /** Reads the log in a folder. If the folder cannot be read now, donor-sync uses only the other places. */
  async function readFolder(folder: string): Promise<ErasureEntry[]> {
    const lines = await open(join(folder, FOLDER_LOG))
      .read()
      .catch(() => []);
    // A line without a tag may come from a different donor-sync installation.
    return lines.filter((line) => line.store !== '' && isOurs(line));
  }

  async function copyToFolders(entries?: readonly ErasureEntry[]): Promise<string[]> {
    const lines = entries ?? (await readEntries(required));
    const tagged = lines.filter((line) => line.store !== '' && isOurs(line));
    const failed: string[] = [];
    for (const folder of foldersIn(lines)) {
      const path = join(folder, FOLDER_LOG);
      if (!(await isThere(folder)) || !(await copied(path, tagged))) failed.push(path);
    }
    return failed;
  }

  async function copied(path: string, entries: readonly ErasureEntry[]): Promise<boolean> {
    try {
      await appendMissing(open(path), entries);
      return true;
    } catch {
      return false;
    }
  }
}

/** Appends the lines that a log lacks. Resolves with their number. */
export async function appendMissing(
  log: Pick<ErasureLog, 'read' | 'append'>,
  entries: readonly ErasureEntry[],
): Promise<number> {
  const known = new Set((await log.read()).map((entry) => JSON.stringify(entry)));
  const missing = entries.filter((entry) => !known.has(JSON.stringify(entry)));
  for (const entry of missing) await log.append(entry);
  return missing.length;
}

function foldersIn(entries: readonly ErasureEntry[]): string[] {
  return [...new Set(entries.flatMap(({ what, folder }) => (what === 'backups' ? folder : [])))];
}

function union(logs: readonly (readonly ErasureEntry[])[]): ErasureEntry[] {
  const [first = [], ...others] = logs;
  const known = new Set(first.map((entry) => JSON.stringify(entry)));
  const added: ErasureEntry[] = [];
  for (const entry of others.flat()) {
    const text = JSON.stringify(entry);
    if (known.has(text)) continue;
    known.add(text);
    added.push(entry);
  }
  if (added.length === 0) return [...first];
  return [...first, ...added].toSorted((one, other) => one.at - other.at);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function examined(path: string, kind: ErasurePlace['kind']): Promise<ErasurePlace> {
  const folder = dirname(path);
  if (kind === 'backups' && !(await isThere(folder))) {
    return { path, kind, state: 'gone', problem: `${folder} does not exist` };
  }
  const problem = await findWriteProblem(path);
  return { path, kind, state: problem === null ? 'writable' : 'unwritable', problem };
}
