import { Worker } from 'node:worker_threads';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { ownProgram } from '../../../src/core/own-file.ts';
import { TOO_LARGE } from './too-large.ts';
import type { WorkbookAnswer } from './workbook-worker.ts';

/** Larger workbooks are saved as CSV first. */
export const MOST_WORKBOOK_BYTES = 50 * 1024 * 1024;

/** Limits of the thread that reads a workbook. */
export interface WorkbookLimits {
  mostTimeMs: number;
  mostMemoryMb: number;
}

const LIMITS: WorkbookLimits = { mostTimeMs: 120_000, mostMemoryMb: 1_024 };

/** Turns a sheet of a workbook into CSV in UTF-8. Throws a ConfigurationError if that cannot be done. */
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

function askWorker(
  workerData: { bytes: Uint8Array; sheet: string | null },
  { mostTimeMs, mostMemoryMb }: WorkbookLimits,
): Promise<WorkbookAnswer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(ownProgram('connectors/csv/sources/workbook-worker'), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    const timer = setTimeout(() => settle({ problem: TOO_LARGE }), mostTimeMs);
    worker.once('message', (answer: WorkbookAnswer) => settle(answer));
    worker.once('error', (error: unknown) => {
      const isOutOfMemory =
        error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (isOutOfMemory) settle({ problem: TOO_LARGE });
      else reject(error);
    });
    worker.once('exit', () => settle({ problem: TOO_LARGE }));

    function settle(answer: WorkbookAnswer): void {
      clearTimeout(timer);
      resolve(answer);
      void worker.terminate();
    }
  });
}

function unreadable(path: string, problem: string): ConfigurationError {
  return new ConfigurationError(`${path} cannot be used: ${problem}.`, {
    code: 'csv_file_unusable',
    details: { path },
  });
}
