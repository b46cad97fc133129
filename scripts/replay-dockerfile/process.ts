/** Runs processes and stores their output, which is shown if a process fails. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { User } from './base-image.ts';

export interface ProcessOptions {
  cwd: string;
  /** The complete environment of the process. */
  env: Record<string, string>;
  /** The user of the new process, or null for this process's user. */
  user?: User | null;
  /** The time after which the process is killed. If it is omitted, the caller must end the process. */
  timeoutMs?: number;
}

export interface Running {
  child: ChildProcess;
  /** Returns the stdout so far. */
  stdout(): string;
  /** Returns the stdout and stderr so far. */
  output(): string;
  hasEnded(): boolean;
  /** Resolves with the exit code. Rejects if a signal ended the process. */
  ended: Promise<number>;
}

/** Starts a process. The first word is looked up in the PATH of the new process. */
export function start(words: readonly string[], options: ProcessOptions): Running {
  const [program = '', ...args] = words;
  const { cwd, env, user, timeoutMs } = options;
  const child = spawn(program, args, {
    ...{ cwd, env, ...user },
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs, killSignal: 'SIGKILL' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = exitCodeOf(child, words);
  // The process may fail before the caller waits for its end. The caller still gets the error later.
  ended.catch(() => undefined);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return { child, stdout: () => stdout, output: () => output, hasEnded, ended };
}

/** Runs a process until it ends. Returns its stdout. Throws an error unless the exit code is 0. */
export async function runToEnd(
  words: readonly string[],
  options: ProcessOptions & { timeoutMs: number },
): Promise<string> {
  const { stdout, output, ended } = start(words, options);
  const code = await ended;
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${output()}`);
  return stdout();
}

async function exitCodeOf(child: ChildProcess, words: readonly string[]): Promise<number> {
  await once(child, 'close');
  if (child.exitCode !== null) return child.exitCode;
  throw new Error(`${words.join(' ')} was ended by ${child.signalCode}.`);
}
