/** Wiring: the one place that makes real things and hands them to the command line. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import packageFile from '../package.json' with { type: 'json' };
import { runProgram } from './cli/action/command.ts';
import type { AllDeps } from './cli/commands.ts';
import { createProgram } from './cli/program.ts';
import { createLog, createLogStream } from './cli/terminal/log.ts';
import { createOutput } from './cli/terminal/output.ts';
import { createStopSignal } from './cli/terminal/stop-signal.ts';
import { readRuntimeOptions, wantsColor } from './config/environment.ts';
import { systemClock } from './core/clock.ts';
import { readProcessSpace } from './core/owner.ts';

const { env, stdin, stdout, stderr } = process;
const argv = process.argv.slice(2);
const isTerminal = stderr.isTTY === true;

/** The program from its arguments to its exit code. */
export async function runWired(): Promise<void> {
  process.on('uncaughtException', (error) => endWith(error));
  stdout.on('error', goOnUnheard);
  stderr.on('error', goOnUnheard);
  try {
    const deps = createDeps();
    await runProgram(await createProgram(deps, packageFile.version, argv), deps, argv);
  } catch (error) {
    endWith(error);
  }
}

function createDeps(): AllDeps {
  const logStream = createLogStream(stderr, wantsColor(stderr, env));
  return {
    stdin,
    stdout,
    stderr,
    env,
    cwd: process.cwd(),
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    clock: systemClock,
    log: createLog(readRuntimeOptions(env, isTerminal).logLevel, logStream),
    logStream,
    owner: {
      host: hostname(),
      processId: process.pid,
      start: randomUUID(),
      space: readProcessSpace(),
    },
    stopSignal: createStopSignal(process, stderr),
    // Only commands that work with a CRM pay for loading the connectors.
    findConnectorDefinition: async (kind) =>
      (await import('../connectors/index.ts')).findConnectorDefinition(kind),
    setExitCode(code) {
      process.exitCode = code;
    },
  };
}

/** An error that was not caught is shown in a sentence; nothing can be trusted to go on after it. */
function endWith(error: unknown): void {
  const isJson = argv.includes('--json');
  process.exit(createOutput({ stdout, stderr, env, isJson }).fail(error));
}

/**
 * The reader of our output has gone, for example `head`: that is no error, and no reason to leave
 * work half done. The command goes on to its end and to the exit code that it deserves.
 */
function goOnUnheard(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
