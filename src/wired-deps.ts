/** The one place that makes real things and hands them to the commands. */
import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { systemClock } from './core/clock.ts';
import { readProcessSpace } from './core/owner.ts';
import type { AllDeps } from './interfaces/cli/commands.ts';
import { createLog, createLogStream } from './interfaces/cli/terminal/log.ts';
import { createStopSignal } from './interfaces/cli/terminal/stop-signal.ts';
import { readRuntimeOptions, wantsColor } from './settings/environment.ts';

/** What commands work with, made of this process. */
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
    // To ask takes ten milliseconds.
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
    // Only commands that work with a CRM pay for loading the connectors.
    findConnectorDefinition: async (kind) =>
      (await import('../connectors/index.ts')).findConnectorDefinition(kind),
  };
}

/** In a container a process may be one of a user that no file knows. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return process.getuid === undefined ? null : `uid ${process.getuid()}`;
  }
}
