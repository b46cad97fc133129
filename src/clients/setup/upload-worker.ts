/**
 * A thread that reads a file that was dropped into the set-up. The file is a stranger's: however long its header, rows or
 * workbook take, they take it here, and all other requests are answered.
 */
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { toPlainText } from '../../../connectors/csv/sources/source.ts';
import { isDonorSyncError } from '../../core/errors.ts';
import { type ColumnGuess, guessColumns } from './csv-columns.ts';
import { type CsvHeader, readCsvHeader } from './csv-header.ts';

/** What the file is, without its rows, or why it cannot be used. */
export type UploadAnswer =
  | { header: Omit<CsvHeader, 'sample'>; guess: ColumnGuess }
  | { problem: string };

const requestSchema = z.object({
  bytes: z.instanceof(Uint8Array),
  sheet: z.string().nullable(),
  /** Where the text is written. */
  draft: z.string(),
});

async function answerTo(data: unknown): Promise<UploadAnswer> {
  const { bytes, sheet, draft } = requestSchema.parse(data);
  try {
    const text = await toPlainText('The file', Buffer.from(bytes.buffer), sheet);
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    const found = await readCsvHeader(draft, dirname(draft));
    if ('problem' in found) return unusable(found.problem.replace(`${draft}: `, ''));
    if (!hasRows(text)) return unusable('it has a line of column names, and no contact below it');
    const { sample, ...header } = found;
    return { header, guess: guessColumns(header.columns, sample) };
  } catch (error) {
    if (isDonorSyncError(error)) return { problem: error.message };
    throw error;
  }
}

function unusable(problem: string): UploadAnswer {
  return { problem: `The file cannot be used: ${problem}.` };
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

// Last, so that everything above is there.
parentPort?.postMessage(await answerTo(workerData));
