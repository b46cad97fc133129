import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { RetriableError } from '../../src/core/errors.ts';
import { fileError } from './file-errors.ts';
import { createRecordWindow, findLineEnd, type RecordSource, readRecords } from './records.ts';
import { replaceFile, syncFolder, writeBytes, writeWholeFile } from './replace-file.ts';
import { createRowIndex, type RowIndex } from './row-index.ts';

/**
 * Stores contacts' changes that the output file does not contain yet. The journal is a file next to the output, with
 * one JSON document per line. donor-sync confirms a change only after the change has been written to the disk. If a run
 * is killed, the next run reads the journal and continues.
 */

export interface Journal {
  readonly path: string;
  /** The number of changes and new columns that have not been merged into the output yet. */
  readonly pending: number;
  readonly createdColumns: ReadonlySet<string>;
  readonly keptColumns: ReadonlySet<string>;
  find(ids: readonly string[]): Promise<Map<string, JournalChange>>;
  /** Adds lines. The promise resolves after the journal's lines have been written to the disk. */
  append(lines: readonly JournalLine[]): Promise<void>;
  /**
   * Permanently deletes all changes to these IDs. The promise resolves with the number of deleted changes, after the
   * deletion has been written to the disk. If donor-sync has already written a new output, it creates that file again,
   * because the file may contain the changes too.
   */
  erase(isErased: (id: string) => boolean): Promise<number>;
  /**
   * Removes all changes from the journal, and keeps only these columns. If no columns remain, removes the journal file.
   */
  reset(keptColumns: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const LINE_FEED = Buffer.from('\n');

/** Opens the journal, which may come from an earlier run. The file is created only by the first `append`. */
export async function openJournal(path: string): Promise<Journal> {
  let state = emptyState();
  let handle = await openExisting(path);
  if (handle !== null) state = await load(handle);

  return {
    path,
    get pending() {
      return state.changeCount + state.created.size;
    },
    get createdColumns() {
      return state.created;
    },
    get keptColumns() {
      return state.kept;
    },
    async find(ids) {
      return handle === null ? new Map() : findChanges(handle, state, ids);
    },
    async append(lines) {
      if (lines.length === 0) return;
      try {
        await requireOurs(path, handle, state);
        if (state.isSpent) await reset([...state.kept]);
        handle ??= await create(path);
        await appendLines(handle, state, lines);
      } catch (error) {
        throw fileError('write', path, error);
      }
    },
    async erase(isErased) {
      // A process that was killed may have left this file behind.
      await rm(temporaryFor(path), { force: true });
      if (handle === null) return 0;
      // The output already contains these changes, so merging them again would be wrong.
      if (state.isSpent) {
        await reset([...state.kept]);
        return 0;
      }
      const { lines, dropped, isReady } = await linesWithout(handle, state.size, isErased);
      if (dropped > 0 || isReady) await replaceBy(lines);
      return dropped;
    },
    reset,
    async close() {
      await handle?.close();
      handle = null;
    },
  };

  function reset(keptColumns: readonly string[]): Promise<void> {
    return replaceBy(keptColumns.length === 0 ? [] : [encodeLine({ keep: [...keptColumns] })]);
  }

  async function replaceBy(lines: readonly Buffer[]): Promise<void> {
    try {
      await requireOurs(path, handle, state);
      await handle?.close();
      handle = null;
      await rewrite(path, lines);
      handle = await openExisting(path);
      state = handle === null ? emptyState() : await load(handle);
    } catch (error) {
      throw fileError('write', path, error);
    }
  }
}

interface State {
  index: RowIndex;
  changeCount: number;
  created: Set<string>;
  kept: Set<string>;
  /**
   * The number of bytes in the journal's complete lines. If the process was killed, an incomplete line may follow the
   * complete lines.
   */
  size: number;
  /**
   * The size of the journal file when it was last read or written. A different size shows that another process has
   * written to the file.
   */
  seenSize: number;
  /** True if the changes are already in the output, so that only the journal has to be removed. */
  isSpent: boolean;
}

function emptyState(): State {
  return {
    index: createRowIndex(),
    changeCount: 0,
    created: new Set(),
    kept: new Set(),
    size: 0,
    seenSize: 0,
    isSpent: false,
  };
}

async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw fileError('open', path, error);
  }
}

async function create(path: string): Promise<FileHandle> {
  const handle = await open(path, 'wx+', 0o600);
  await syncFolder(dirname(path));
  return handle;
}

/**
 * Throws if another process has changed the journal. Two processes that write to the journal would overwrite each
 * other's changes. If another process has changed the journal, this process writes nothing. The next run finds the
 * changes of both processes.
 */
async function requireOurs(path: string, handle: FileHandle | null, state: State): Promise<void> {
  const [now, ours] = await Promise.all([
    stat(path, { bigint: true }).catch(() => null),
    handle?.stat({ bigint: true }) ?? null,
  ]);
  if (now === null && ours === null) return;
  const isSame = now?.ino === ours?.ino && now?.dev === ours?.dev;
  if (isSame && Number(now?.size) === state.seenSize) return;
  const message = `Another process of donor-sync writes to ${path} too. Only one process at a time can write to a file. Nothing was lost; try again when it has ended.`;
  throw new RetriableError(message, { code: 'csv_journal_shared', details: { path } });
}

async function load(handle: FileHandle): Promise<State> {
  const { size } = await handle.stat();
  const state = { ...emptyState(), seenSize: size };
  let replacement: string | null = null;
  for await (const records of readRecords({ handle, size, findEnd: findLineEnd })) {
    for (const record of records) {
      const line = record.ending === '' ? null : parseLine(record.bytes);
      if (line === null) return state;
      note(state, line, record.offset);
      state.size = record.offset + record.bytes.length + LINE_FEED.length;
      replacement = 'replacement' in line ? line.replacement : null;
    }
  }
  if (replacement !== null && !(await exists(replacement))) return spent(state);
  return state;
}

/**
 * Returns the state of a journal whose changes have already been merged. Its last line names a new output, and the new
 * output has replaced the old output.
 */
function spent(state: State): State {
  const { kept, size, seenSize } = state;
  return { ...emptyState(), kept, size, seenSize, isSpent: true };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function note(state: State, line: JournalLine, offset: number): void {
  if ('id' in line) {
    state.index.add(line.id, offset);
    state.changeCount += 1;
  } else if ('create' in line) {
    for (const column of line.create) state.created.add(column);
  } else if ('keep' in line) {
    for (const column of line.keep) state.kept.add(column);
  }
}

async function appendLines(
  handle: FileHandle,
  state: State,
  lines: readonly JournalLine[],
): Promise<void> {
  const encoded = lines.map(encodeLine);
  try {
    // An interrupted write may have left an incomplete line. The function removes an incomplete line, because it would
    // become part of the next line.
    await handle.truncate(state.size);
    await writeBytes(handle, Buffer.concat(encoded), state.size);
    await handle.datasync();
  } finally {
    state.seenSize = (await handle.stat()).size;
  }
  for (const [at, line] of lines.entries()) {
    note(state, line, state.size);
    state.size += encoded[at]?.length ?? 0;
  }
}

async function findChanges(
  handle: FileHandle,
  state: State,
  ids: readonly string[],
): Promise<Map<string, JournalChange>> {
  const source: RecordSource = { handle, size: state.size, findEnd: findLineEnd };
  const recordAt = createRecordWindow(source);
  const offsets = [...new Set(ids.flatMap((id) => state.index.offsets(id)))];
  const wanted = new Set(ids);
  const changes = new Map<string, JournalChange>();
  for (const offset of offsets.sort((a, b) => a - b)) {
    const record = await recordAt(offset);
    const line = record === null ? null : parseLine(record.bytes);
    if (line !== null && 'id' in line && wanted.has(line.id)) changes.set(line.id, line);
  }
  return changes;
}

/**
 * Returns the lines that remain after the changes to some IDs have been removed. Also returns the number of removed
 * changes, and whether donor-sync had already written a new output.
 */
async function linesWithout(
  handle: FileHandle,
  size: number,
  isErased: (id: string) => boolean,
): Promise<{ lines: Buffer[]; dropped: number; isReady: boolean }> {
  const lines: Buffer[] = [];
  let dropped = 0;
  let isReady = false;
  for await (const records of readRecords({ handle, size, findEnd: findLineEnd })) {
    for (const { bytes } of records) {
      const line = parseLine(bytes);
      if (line === null) continue;
      if ('replacement' in line) isReady = true;
      else if ('id' in line && isErased(line.id)) dropped += 1;
      else lines.push(encodeLine(line));
    }
  }
  return { lines, dropped, isReady };
}

/** Replaces all lines of the journal with these lines. If no lines remain, removes the journal file. */
async function rewrite(path: string, lines: readonly Buffer[]): Promise<void> {
  if (lines.length === 0) {
    await rm(path, { force: true });
    return syncFolder(dirname(path));
  }
  await writeWholeFile(temporaryFor(path), lines, { mode: 0o600, owner: null });
  await replaceFile(temporaryFor(path), path);
}

function temporaryFor(path: string): string {
  return `${path}.new`;
}

const lineSchema = z.union([
  /** A change to one contact. A change contains each column's previous text and new text. */
  z.strictObject({
    id: z.string(),
    cells: z.record(z.string(), z.tuple([z.string(), z.string()])),
  }),
  /** Columns that must be added to the output. */
  z.strictObject({ create: z.array(z.string()) }),
  /** Columns whose cells come from the output, even if the input also has a column with the same name. */
  z.strictObject({ keep: z.array(z.string()) }),
  /** The path of a new file that contains the changes and that will replace the output. */
  z.strictObject({ replacement: z.string() }),
]);

export type JournalLine = z.infer<typeof lineSchema>;
export type JournalChange = Extract<JournalLine, { id: string }>;

/** Returns the line as the journal contains it, with a line feed. */
export function encodeLine(line: JournalLine): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

/** Parses a line without its line feed. Returns null for an incomplete line, which a killed process may have left. */
export function parseLine(bytes: Buffer): JournalLine | null {
  try {
    const line: unknown = JSON.parse(bytes.toString('utf8'));
    return isChange(line) ? line : lineSchema.parse(line);
  } catch {
    return null;
  }
}

/**
 * Checks whether a line is a change. The check has the same result as the schema. The check is ten times as fast as the
 * schema. donor-sync calls this check once for each contact.
 */
function isChange(line: unknown): line is JournalChange {
  if (typeof line !== 'object' || line === null) return false;
  if (!('id' in line && 'cells' in line) || Object.keys(line).length !== 2) return false;
  const { id, cells } = line;
  if (typeof id !== 'string' || typeof cells !== 'object' || cells === null) return false;
  return !Array.isArray(cells) && Object.values(cells).every(isCell);
}

function isCell(cell: unknown): boolean {
  return Array.isArray(cell) && cell.length === 2 && cell.every((text) => typeof text === 'string');
}
