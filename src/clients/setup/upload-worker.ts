/**
 * Reads an uploaded file in a separate thread, because uploaded files are not trusted. A slow file keeps only this
 * thread busy, and the server still handles other requests.
 */
import { writeFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { type ColumnGuess, guessColumns } from './csv-columns.ts';
import { type CsvHeader, WHOLE_FILE } from './csv-header.ts';
import { readDropped } from './dropped-file.ts';

export type UploadAnswer =
  | { header: Omit<CsvHeader, 'sample' | 'foreign'>; guess: ColumnGuess }
  | { problem: string };

const requestSchema = z.object({
  bytes: z.instanceof(Uint8Array),
  sheet: z.string().nullable(),
  /** The file to which the text is written. */
  draft: z.string(),
});

async function answerTo(data: unknown): Promise<UploadAnswer> {
  const { bytes, sheet, draft } = requestSchema.parse(data);
  const file = await readDropped(Buffer.from(bytes.buffer), { ...WHOLE_FILE, sheet });
  if ('problem' in file) return file;
  await writeFile(draft, file.text, { mode: 0o600, flag: 'wx', flush: true });
  const { sample, ...header } = file.header;
  return { header, guess: guessColumns(header.columns, sample) };
}

// This line is at the end of the file, so that everything above it is initialised.
parentPort?.postMessage(await answerTo(workerData));
