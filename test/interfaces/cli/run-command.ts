import type { Command } from 'commander';
import { findConnectorDefinition } from '../../../connectors/index.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { createCommand, runProgram } from '../../../src/interfaces/cli/action/command.ts';
import type { ProductDeps } from '../../../src/interfaces/cli/action/product.ts';
import { aStream } from './a-terminal.ts';

/** The exit code and the output of an ended command. */
export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** A command that runs in this process. */
export interface Started {
  /** Returns the standard output that the command has written so far. */
  stdout(): string;
  /** Returns the error output that the command has written so far. */
  stderr(): string;
  /** Requests a stop, as SIGTERM does. */
  stop(): void;
  ended: Promise<Ended>;
}

export interface StartOptions {
  cwd: string;
  env?: Record<string, string>;
  /** True if the command writes to a wide terminal. If false or omitted, the command writes to a pipe. */
  onTerminal?: boolean;
}

/** The user is anna, and the terminal is not interactive. */
export function commandDeps({ cwd, env = {}, onTerminal = false }: StartOptions) {
  return {
    stdin: aStream({ isTTY: false }),
    stdout: aStream({ isTTY: onTerminal, columns: 200 }),
    stderr: aStream({ isTTY: false }),
    ...{ env, cwd, findConnectorDefinition },
    clock: systemClock,
    log: silentLog,
    logStream: { write() {}, stepAside: () => () => {} },
    owner: { host: 'test', processId: process.pid, start: crypto.randomUUID() },
    user: 'anna',
    stopSignal: () => new AbortController().signal,
    setExitCode() {},
  };
}

/** Starts `donor-sync` with one command and its arguments. */
export function startCommand(
  createIt: (deps: ProductDeps) => Command,
  argv: readonly string[],
  options: StartOptions,
): Started {
  const stopping = new AbortController();
  let exitCode: number | null = null;
  const common = commandDeps(options);
  const { stdout, stderr } = common;
  const deps: ProductDeps = {
    ...common,
    stopSignal: () => stopping.signal,
    setExitCode(code) {
      exitCode = code;
    },
  };
  const program = createCommand('donor-sync', deps).addCommand(createIt(deps));
  return {
    stdout: stdout.written,
    stderr: stderr.written,
    stop: () => stopping.abort(),
    ended: runProgram(program, deps, argv).then(() => ({
      exitCode,
      stdout: stdout.written(),
      stderr: stderr.written(),
    })),
  };
}

/** Runs `donor-sync` with one command and waits until the command has ended. */
export function runCommand(
  createIt: (deps: ProductDeps) => Command,
  argv: readonly string[],
  options: StartOptions,
): Promise<Ended> {
  return startCommand(createIt, argv, options).ended;
}
