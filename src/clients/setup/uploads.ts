/** CSV files that were dropped into the set-up: beside the database, under names of ours. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { askThread, ThreadFailure, type ThreadLimits } from '../../core/ask-thread.ts';
import { ConfigurationError, RetriableError } from '../../core/errors.ts';
import { createOneAtATime } from '../../core/one-at-a-time.ts';
import { ownProgram } from '../../core/own-file.ts';
import { parseDatabaseUrl } from '../../database/database-url.ts';
import { hasCode } from '../../database/system-error.ts';
import type { Settings } from '../../settings/settings.ts';
import type { ColumnGuess } from './csv-columns.ts';
import type { CsvHeader } from './csv-header.ts';
import type { UploadAnswer } from './upload-worker.ts';

/** The most that a browser may send; a larger file is put on the machine and named in the settings file. */
export const MAX_UPLOAD_BYTES = 20 * 1_024 * 1_024;

type Where = Pick<Settings, 'database'>;

/** The folder of uploads; null where the database is not a file, and other processes would not see them. */
function getUploadFolder({ database }: Where): string | null {
  const location = parseDatabaseUrl(database);
  if (location.kind !== 'sqlite' || location.path === null) return null;
  return join(dirname(location.path), 'uploads');
}

/** True if a file can be dropped here at all. */
export function takesUploads(where: Where): boolean {
  return getUploadFolder(where) !== null;
}

/** True of a file that was dropped, and of the results beside it. */
export function isUpload(where: Where, path: unknown): path is string {
  return typeof path === 'string' && dirname(path) === getUploadFolder(where);
}

/** A file that was taken. */
export interface Upload {
  path: string;
  /** Where its results go. */
  output: string;
  header: Omit<CsvHeader, 'sample' | 'foreign'>;
  /** Which column most likely holds which part of a contact. */
  guess: ColumnGuess;
}

/** The thread that reads a file; a workbook within it has a thread and limits of its own. */
const LIMITS: ThreadLimits = { mostTimeMs: 150_000, mostMemoryMb: 1_024 };

/** One file at a time: each may take a core and hundreds of megabytes. */
const inTurn = createOneAtATime(20, () => {
  return new RetriableError(
    'Too many files are being read at this moment. Try again in a minute.',
    {
      code: 'uploads_busy',
    },
  );
});

/**
 * Takes a file, as CSV in UTF-8 where it was UTF-16 or a workbook, in the place of `replaced` if that is given. Throws a ConfigurationError,
 * with nothing kept, for one that is no list of contacts.
 */
export async function takeUpload(
  where: Where,
  content: Uint8Array,
  { replaced = null, sheet = null }: { replaced?: string | null; sheet?: string | null } = {},
  limits = LIMITS,
): Promise<Upload> {
  const folder = getUploadFolder(where);
  if (folder === null) {
    throw new ConfigurationError(
      'With Postgres a file cannot be dropped here, as other machines would not see it. Put it where all of them do, and name it in donor-sync.yaml.',
      { code: 'setup_file_elsewhere' },
    );
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `${randomUUID()}.new`);
  try {
    const answer = await inTurn(() => readUpload(content, sheet, draft, limits));
    if ('problem' in answer) throw unreadableCsv(answer.problem);
    const path = replaced ?? join(folder, `${randomUUID()}.csv`);
    await rename(draft, path);
    return { path, output: path.replace(/\.csv$/, '-enhanced.csv'), ...answer };
  } finally {
    await rm(draft, { force: true });
  }
}

async function readUpload(
  content: Uint8Array,
  sheet: string | null,
  draft: string,
  limits: ThreadLimits,
): Promise<UploadAnswer> {
  const program = ownProgram('src/clients/setup/upload-worker');
  const bytes = new Uint8Array(content);
  try {
    return await askThread<UploadAnswer>(program, { bytes, sheet, draft }, limits, [bytes.buffer]);
  } catch (error) {
    if (!(error instanceof ThreadFailure)) throw error;
    return { problem: 'The file cannot be used: reading it takes too long or too much memory.' };
  }
}

/** The name that an upload was given here: a file that a person has put beside it has another one. */
const UPLOAD_NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.csv$/;

/**
 * Takes an upload away with its results and what the connector has beside them, and returns the names of what there
 * was; any other file stays.
 */
export async function dropUpload(where: Where, path: string): Promise<string[]> {
  if (!isUpload(where, path) || !UPLOAD_NAME.test(basename(path))) return [];
  const folder = dirname(path);
  const stem = basename(path, '.csv');
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  const own = names.filter((name) => name.startsWith(stem)).sort();
  for (const name of own) await rm(join(folder, name), { force: true });
  return own.map((name) => `uploads/${name}`);
}

/** A file that cannot be read as CSV; `problem` says why. */
export function unreadableCsv(problem: string): ConfigurationError {
  return new ConfigurationError(problem, { code: 'csv_unreadable' });
}
