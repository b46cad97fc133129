/** CSV files that were dropped into the set-up: beside the database, under names of ours. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { toPlainText } from '../../../connectors/csv/sources/source.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { parseDatabaseUrl } from '../../database/database-url.ts';
import { hasCode } from '../../database/system-error.ts';
import type { Settings } from '../../settings/settings.ts';
import { type CsvHeader, readCsvHeader } from './csv-columns.ts';

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
  header: CsvHeader;
}

/**
 * Takes a file, as CSV in UTF-8 where it was UTF-16 or a workbook, in the place of `replaced` if that is given. Throws a ConfigurationError,
 * with nothing kept, for one that is no list of contacts.
 */
export async function takeUpload(
  where: Where,
  content: Uint8Array,
  { replaced = null, sheet = null }: { replaced?: string | null; sheet?: string | null } = {},
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
    const text = await toPlainText('The file', Buffer.from(content), sheet);
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    const header = await readCsvHeader(draft, folder);
    if ('problem' in header) throw unusable(header.problem.replace(`${draft}: `, ''));
    if (!hasRows(text)) throw unusable('it has a line of column names, and no contact below it');
    const path = replaced ?? join(folder, `${randomUUID()}.csv`);
    await rename(draft, path);
    return { path, output: path.replace(/\.csv$/, '-enhanced.csv'), header };
  } finally {
    await rm(draft, { force: true });
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

function unusable(problem: string): ConfigurationError {
  return new ConfigurationError(`The file cannot be used: ${problem}.`, { code: 'csv_unreadable' });
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK_START = 0xef;

/** White space and delimiters: a line of them holds no contact. */
const BLANK = new Set([...Array.from({ length: 0x21 }, (_, byte) => byte), 0x2c, 0x3b]);

/** True if anything is below the first line that is not blank. Plain loops: a file may have 20 MB of blanks. */
function hasRows(text: Uint8Array): boolean {
  let at = 0;
  while (at < text.length && isBeforeHeader(text[at])) at += 1;
  while (at < text.length && text[at] !== LINE_FEED && text[at] !== CARRIAGE_RETURN) at += 1;
  while (at < text.length && BLANK.has(text[at] ?? 0)) at += 1;
  return at < text.length;
}

function isBeforeHeader(byte = 0): boolean {
  return byte <= 0x20 || byte >= BYTE_ORDER_MARK_START;
}
