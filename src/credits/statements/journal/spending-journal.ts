/**
 * Records what credits are spent on, outside the database. A restored backup lacks later payments, so without this
 * journal the same would be bought again. Each request has two lines. One is on disk before the request is sent, and
 * the other before its response is stored in the database. The file contains only keyed fingerprints, job IDs and
 * numbers.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import { hasCode } from '../../../database/system-error.ts';
import { type JournalLine, parseLines, toText } from './journal-lines.ts';

/** Every readable line of the journal, in the order of the file. */
export interface JournalContents {
  lines: JournalLine[];
  /** How many lines cannot be read, not counting an incomplete last line. */
  damaged: number;
}

export interface SpendingJournal {
  /** The file's path, or null if spending is not recorded outside the database. */
  readonly path: string | null;
  /** Resolves once the line is on disk. If it cannot be written, throws the system's error. */
  append(line: JournalLine): Promise<void>;
  /**
   * Returns when the oldest line was written (epoch ms), or null if there is none. Reads only the start of the file.
   */
  findOldest(): Promise<number | null>;
  /** Returns the lines of all databases that use the file, or none if there is no file. */
  read(): Promise<JournalContents>;
  /**
   * Replaces each line with the result of `change`. If the result is null, removes the line. Resolves with true if
   * anything was changed. Only one process at a time may call this, so the caller needs a lock in the database. Other
   * processes may append lines in the meantime.
   */
  rewrite(change: (line: JournalLine) => JournalLine | null): Promise<boolean>;
}

/** A line without the tag of its database. */
export type NewLine = JournalLine extends infer Line
  ? Line extends JournalLine
    ? Omit<Line, 'store'>
    : never
  : never;

/** The journal as one database uses it. Other databases' lines are never changed. */
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
 * A journal that records nothing. It is used for a database in memory, and for a server database unless the settings
 * contain a file.
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
  /** The lines that a rewrite has kept. They are older than the lines in the file itself. */
  const past = `${path}.past`;
  /** The file while its lines are being rewritten. It remains if the rewrite was killed. */
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
      // A rewrite was killed and has left its moved file. Its lines are in the past file by now, but newer lines must
      // still be rewritten.
      if ((await readIfThere(path)) === null) return isChanged;
      await rename(path, moving);
      return (await moveIntoPast(change)) || isChanged;
    },
  };

  /** Rewrites the past file together with the moved file, and then removes the moved file. */
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
 * Appends a line. A rewrite may have moved the file in the meantime and missed the line. In that case the line is
 * appended again to the new file. A duplicate line does no harm.
 */
async function append(path: string, text: string): Promise<void> {
  for (;;) {
    await using file = await openToAppend(path);
    const { ino, dev, size } = await file.stat();
    // The line break at the start keeps the line apart from an incomplete line that a power failure may have left.
    await file.appendFile(`\n${text}\n`);
    await file.datasync();
    if (size === 0) await syncFolder(path);
    const now = await statIfThere(path);
    if (now !== null && now.ino === ino && now.dev === dev) return;
  }
}

/** Creates the folder only if it is missing, because nearly every line is appended to an existing file. */
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
 * Creates the error for a journal that cannot be read. It must not count as empty, because after a restore everything
 * in it would be bought again.
 */
function unreadable(path: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `The spending journal ${path} cannot be read: ${messageOf(cause)}. It lists what has already been paid for, so nothing was done without it. Make the file and its folder readable, then repeat the command.`,
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

/** Returns the first readable line near the start of the file. */
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
