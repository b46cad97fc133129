import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** `signal` is null unless a signal killed the program. */
export interface ProgramEnd {
  stdout: string;
  stderr: string;
  signal: string | null;
}

const TIMEOUT_MS = 30_000;

/** Runs a program from this folder in a separate process, and waits until it ends. */
export function runProgram(name: string, args: readonly string[]): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(import.meta.dirname, name), ...args],
      { timeout: TIMEOUT_MS, encoding: 'utf8' },
      (_error, stdout, stderr) => resolve({ stdout, stderr, signal: child.signalCode }),
    );
  });
}
