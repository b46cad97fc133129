import { findConnectorDefinition } from '../../connectors/index.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { runProgram } from '../../src/interfaces/cli/action/command.ts';
import type { AllDeps } from '../../src/interfaces/cli/commands.ts';
import { createProgram } from '../../src/interfaces/cli/program.ts';
import { createLog, createLogStream } from '../../src/interfaces/cli/terminal/log.ts';
import { aStream } from '../interfaces/cli/a-terminal.ts';

/** A command's exit code and output. */
export interface ProgramEnd {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface ProgramOptions {
  cwd: string;
  env?: Record<string, string>;
  /** True to simulate a terminal with 200 columns. By default, the output is a pipe. */
  isTTY?: boolean;
  /** Ends a command that runs until it is stopped. By default, the signal is never aborted. */
  stop?: AbortSignal;
  /** Called with all output so far, each time the program writes to stdout. */
  onStdout?: (written: string) => void;
  /** The clock. The default is the system's clock. */
  clock?: Clock;
}

/** Runs `donor-sync …` in this process until it ends. The log has the most detailed level. */
export async function runWhole(
  argv: readonly string[],
  { cwd, env = {}, isTTY = false, clock = systemClock, stop, onStdout = () => {} }: ProgramOptions,
): Promise<ProgramEnd> {
  const [stdin, stdout, stderr] = [1, 2, 3].map(() => aStream({ isTTY, columns: 200 }));
  if (!stdin || !stdout || !stderr) throw new Error('three streams were made');
  stdout.on('data', () => onStdout(stdout.written()));
  const logStream = createLogStream(stderr, isTTY);
  let exitCode: number | null = null;
  const deps: AllDeps = {
    stdin,
    stdout,
    stderr,
    env,
    cwd,
    findConnectorDefinition,
    logStream,
    timezone: () => 'UTC',
    clock,
    log: createLog('debug', logStream),
    owner: { host: 'test', processId: process.pid, start: crypto.randomUUID() },
    user: 'anna',
    stopSignal: () => stop ?? new AbortController().signal,
    setExitCode(code) {
      exitCode = code;
    },
  };
  await runProgram(
    await createProgram({ ...deps, loadDeps: async () => deps }, '0.0.0', argv),
    deps,
    argv,
  );
  return { exitCode, stdout: stdout.written(), stderr: stderr.written() };
}
