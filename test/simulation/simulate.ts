/** Runs the simulation in a separate process, because it replaces time and randomness. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** Allows for the long timeline of a failing night. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export interface Simulated {
  exitCode: number;
  output: string;
}

/** Runs `npm run simulate` with the given arguments. */
export function simulate(...args: string[]): Promise<Simulated> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN, ...args],
      { maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout, stderr) =>
        resolve({ exitCode: error === null ? 0 : 1, output: stdout + stderr }),
    );
  });
}
