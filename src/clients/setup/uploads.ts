/**
 * Stores CSV files that users upload in the set-up. The files are next to the database, under names that donor-sync
 * chooses.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
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

/** The maximum size of an upload. If a file is larger, the operator must copy it to the machine and set its path. */
export const MAX_UPLOAD_BYTES = 20 * 1_024 * 1_024;

type Where = Pick<Settings, 'database'>;

/** Returns the folder for uploads. The database must be a file, because other machines could not read the uploads. */
function getUploadFolder({ database }: Where): string | null {
  const location = parseDatabaseUrl(database);
  if (location.kind !== 'sqlite' || location.path === null) return null;
  return join(dirname(location.path), 'uploads');
}

/** True if users can upload files to this server. */
export function takesUploads(where: Where): boolean {
  return getUploadFolder(where) !== null;
}

export function isUpload(where: Where, path: unknown): path is string {
  return typeof path === 'string' && dirname(path) === getUploadFolder(where);
}

const RESULTS = '-enhanced.csv';

/** A file that has been accepted. */
export interface Upload {
  path: string;
  /** The path of the result file. */
  output: string;
  header: Omit<CsvHeader, 'sample' | 'foreign'>;
  /** The columns that most likely contain each part of a contact. */
  guess: ColumnGuess;
}

/** The limits of the separate thread that reads a workbook. */
const LIMITS: ThreadLimits = { mostTimeMs: 150_000, mostMemoryMb: 1_024 };

/** Uploads are read one at a time, because each upload may need a processor core and hundreds of megabytes. */
const inTurn = createOneAtATime(20, () => {
  return new RetriableError('Too many files are being read right now. Try again in a minute.', {
    code: 'uploads_busy',
  });
});

/**
 * Stores an uploaded file. Converts UTF-16 files and workbooks to CSV in UTF-8. Throws a ConfigurationError and stores
 * nothing if the file is not a list of contacts.
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
      'With Postgres a file cannot be uploaded here, because your other machines could not read it. Put the file where every machine can read it, and set its path in donor-sync.yaml.',
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
    return { path, output: path.replace(/\.csv$/, RESULTS), ...answer };
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

/** The form of an upload's name. Files that someone else has put into this folder have other names. */
const UPLOAD_NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.csv$/;

/**
 * Deletes an upload, its result file and the connector's files for it. Returns the names of the deleted files. Keeps
 * all other files.
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

/** The form of the name of an upload that was not accepted. No client and no set-up uses such a file. */
const UNACCEPTED = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.new$/;

const SWEPT_AFTER_MS = 24 * 3_600_000;

/**
 * Deletes uploads that were never accepted, for example after a crash. Accepted uploads are kept even if nothing here
 * uses them, because another database may use them and a deleted list cannot be restored. Returns the names of the
 * deleted files.
 */
export async function sweepUploads(where: Where, now: number): Promise<string[]> {
  const folder = getUploadFolder(where);
  if (folder === null) return [];
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  const dropped: string[] = [];
  for (const name of names.filter((each) => UNACCEPTED.test(each)).sort()) {
    const path = join(folder, name);
    const file = await stat(path).catch(() => null);
    // A future time means that the clock was set back.
    if (file === null || Math.abs(now - file.mtimeMs) < SWEPT_AFTER_MS) continue;
    await rm(path, { force: true });
    dropped.push(`uploads/${name}`);
  }
  return dropped;
}

export function unreadableCsv(problem: string): ConfigurationError {
  return new ConfigurationError(problem, { code: 'csv_unreadable' });
}
