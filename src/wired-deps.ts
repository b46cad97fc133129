/** Creates the real dependencies of the commands. No other file does this. */
import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { systemClock } from './core/clock.ts';
import { readProcessSpace } from './core/owner.ts';
import type { AllDeps } from './interfaces/cli/commands.ts';
import { createLog, createLogStream } from './interfaces/cli/terminal/log.ts';
import { createStopSignal } from './interfaces/cli/terminal/stop-signal.ts';
import { readRuntimeOptions, wantsColor } from './settings/environment.ts';

/** Creates the dependencies of the commands from the current process. */
export function createDeps({ setExitCode }: Pick<AllDeps, 'setExitCode'>): AllDeps {
  const { env, stdin, stdout, stderr } = process;
  const logStream = createLogStream(stderr, wantsColor(stderr, env));
  return {
    stdin,
    stdout,
    stderr,
    env,
    setExitCode,
    cwd: process.cwd(),
    // Finding out the user's name takes ten milliseconds.
    timezone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    clock: systemClock,
    log: createLog(readRuntimeOptions(env, stderr.isTTY === true).logLevel, logStream),
    logStream,
    owner: {
      host: hostname(),
      processId: process.pid,
      start: randomUUID(),
      space: readProcessSpace(),
    },
    user: userName(),
    stopSignal: createStopSignal(process, stderr),
    // The connectors are loaded only by commands that work with a CRM.
    findConnectorDefinition: async (kind) =>
      (await import('../connectors/index.ts')).findConnectorDefinition(kind),
  };
}

/** Returns the user's name. In a container, the user of a process may have no name. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return process.getuid === undefined ? null : `uid ${process.getuid()}`;
  }
}
