/**
 * Records all spending outside the database. A restored backup lacks later payments, and the journal keeps donor-sync
 * from buying the same profiles again. The journal contains two lines for each request. The first line is saved on disk
 * before the request is sent, and the second line before the database stores the response. The file contains only keyed
 * fingerprints, job IDs and numbers.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import { hasCode } from '../../../database/system-error.ts';
import { type JournalLine, parseLines, toText } from './journal-lines.ts';

export interface JournalContents {
  lines: JournalLine[];
  /** The number of unreadable lines. An incomplete last line does not count. */
  damaged: number;
}

export interface SpendingJournal {
  readonly path: string | null;
  /** Adds a line. Resolves when the line is saved on disk. Throws the system's error if writing fails. */
  append(line: JournalLine): Promise<void>;
  /**
   * Returns the time of the oldest line (epoch ms), or null if there are no lines. Reads only the beginning of the
   * file.
   */
  findOldest(): Promise<number | null>;
  /** Returns the lines of all databases that use the file. */
  read(): Promise<JournalContents>;
  /**
   * Replaces each line with the result of `change`. Null removes the line. Resolves with true if anything changed. The
   * caller needs a lock in the database, because only one process may rewrite the file at a time. Other processes may
   * add lines during this time.
   */
  rewrite(change: (line: JournalLine) => JournalLine | null): Promise<boolean>;
}

/** A line without the tag of its database. */
export type NewLine = JournalLine extends infer Line
  ? Line extends JournalLine
    ? Omit<Line, 'store'>
    : never
  : never;

/** The journal of one database. This journal never changes the lines of other databases. */
export interface StoreJournal extends Omit<SpendingJournal, 'append'> {
  append(line: NewLine): Promise<void>;
}

export function journalOfStore(journal: SpendingJournal, store: string): StoreJournal {
  return {
    path: journal.path,
    append: (line) => journal.append({ ...line, store }),
    findOldest: journal.findOldest,
    async read() {
      const { lines, damaged } = await journal.read();
      return { lines: lines.filter((line) => line.store === store), damaged };
    },
    rewrite: (change) => journal.rewrite((line) => (line.store === store ? change(line) : line)),
  };
}

/**
 * A journal that records nothing. This journal is used for a database in memory, and for a server database if the
 * settings name no file.
 */
export const noSpendingJournal: SpendingJournal = {
  path: null,
  append: async () => undefined,
  findOldest: async () => null,
  read: async () => ({ lines: [], damaged: 0 }),
  rewrite: async () => false,
};

const FILE_MODE = 0o600;

export function openSpendingJournal(path: string): SpendingJournal {
  /** The file with the lines that a rewrite has kept. These lines are older than the lines in the main file. */
  const past = `${path}.past`;
  /** The name of the main file during a rewrite. The file remains if the process is killed. */
  const moving = `${path}.moving`;

  return {
    path,
    append: (line) => append(path, toText(line)),
    async findOldest() {
      for (const file of [past, moving, path]) {
        const line = await readFirstLine(file);
        if (line !== null) return line.at;
      }
      return null;
    },
    async read() {
      const files = await Promise.all([past, moving, path].map(readIfThere)).catch((error) => {
        throw unreadable(path, error);
      });
      return files.reduce<JournalContents>(
        (all, text) => {
          const { lines, damaged } = parseLines(text ?? '');
          return { lines: [...all.lines, ...lines], damaged: all.damaged + damaged };
        },
        { lines: [], damaged: 0 },
      );
    },
    async rewrite(change) {
      const isChanged = await moveIntoPast(change);
      // A process was killed during a rewrite. The `.past` file already contains these lines, but newer lines must
      // still be rewritten.
      if ((await readIfThere(path)) === null) return isChanged;
      await rename(path, moving);
      return (await moveIntoPast(change)) || isChanged;
    },
  };

  /** Rewrites the `.past` file and the moved file together. */
  async function moveIntoPast(change: (line: JournalLine) => JournalLine | null): Promise<boolean> {
    const texts = await Promise.all([past, moving].map(readIfThere));
    if (texts.every((text) => text === null)) return false;
    let isChanged = false;
    const kept = new Set<string>();
    for (const line of texts.flatMap((text) => parseLines(text ?? '').lines)) {
      const changed = change(line);
      if (changed !== line) isChanged = true;
      if (changed !== null) kept.add(toText(changed));
    }
    const draft = `${path}.part`;
    await writeWhole(draft, [...kept].map((text) => `${text}\n`).join(''));
    await rename(draft, past);
    await rm(moving, { force: true });
    await syncFolder(path);
    return isChanged;
  }
}

/**
 * Adds text to the file. A rewrite may move the file at the same time and miss the text. The text is then added again
 * to the new file. A duplicate line is harmless.
 */
async function append(path: string, text: string): Promise<void> {
  for (;;) {
    await using file = await openToAppend(path);
    const { ino, dev, size } = await file.stat();
    // A power failure may have left an incomplete line. A line break at the start separates the new line from it.
    await file.appendFile(`\n${text}\n`);
    await file.datasync();
    if (size === 0) await syncFolder(path);
    const now = await statIfThere(path);
    if (now !== null && now.ino === ino && now.dev === dev) return;
  }
}

/** Opens the file. The folder usually exists, so it is created only after a failure. */
async function openToAppend(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a', FILE_MODE);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return open(path, 'a', FILE_MODE);
}

/**
 * Creates the error for an unreadable journal. The journal must not count as empty, because donor-sync would buy all
 * its profiles again after a restore.
 */
function unreadable(path: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `The spending journal ${path} cannot be read: ${messageOf(cause)}. donor-sync needs the journal to know what has already been paid for, so it did nothing. Make the file and its folder readable, then repeat the command.`,
    { code: 'journal_unreadable', cause },
  );
}

async function writeWhole(path: string, text: string): Promise<void> {
  await using file = await open(path, 'w', FILE_MODE);
  await file.appendFile(text);
  await file.sync();
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Returns the first readable line near the beginning of the file. */
async function readFirstLine(path: string): Promise<JournalLine | null> {
  const stream = createReadStream(path, { encoding: 'utf8' });
  try {
    for await (const text of createInterface({
      input: stream,
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      const [line] = parseLines(text).lines;
      if (line !== undefined) return line;
    }
    return null;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  } finally {
    stream.destroy();
  }
}

async function statIfThere(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}
