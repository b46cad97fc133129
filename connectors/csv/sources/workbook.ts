import { askThread, ThreadFailure, type ThreadLimits } from '../../../src/core/ask-thread.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { ownProgram } from '../../../src/core/own-file.ts';
import { TOO_LARGE } from './too-large.ts';
import type { WorkbookAnswer } from './workbook-worker.ts';

/** The maximum size of a workbook (bytes). Users must save a larger workbook as CSV. */
const MOST_WORKBOOK_BYTES = 50 * 1024 * 1024;

const LIMITS: ThreadLimits = { mostTimeMs: 120_000, mostMemoryMb: 1_024 };

/** Converts a sheet of a workbook to CSV in UTF-8. Throws a ConfigurationError if the sheet cannot be converted. */
export async function readWorkbook(
  path: string,
  bytes: Uint8Array,
  sheet: string | null,
  limits = LIMITS,
): Promise<Buffer> {
  if (bytes.length > MOST_WORKBOOK_BYTES) throw unreadable(path, TOO_LARGE);
  const answer = await askWorker({ bytes, sheet }, limits);
  if ('problem' in answer) throw unreadable(path, answer.problem);
  return Buffer.from(answer.csv);
}

async function askWorker(
  request: { bytes: Uint8Array; sheet: string | null },
  limits: ThreadLimits,
): Promise<WorkbookAnswer> {
  const program = ownProgram('connectors/csv/sources/workbook-worker');
  try {
    return await askThread<WorkbookAnswer>(program, { ...request }, limits);
  } catch (error) {
    if (error instanceof ThreadFailure) return { problem: TOO_LARGE };
    throw error;
  }
}

function unreadable(path: string, problem: string): ConfigurationError {
  return new ConfigurationError(`${path} cannot be used: ${problem}.`, {
    code: 'csv_file_unusable',
    details: { path },
  });
}
