import { setTimeout as sleep } from 'node:timers/promises';
import { findConnectorDefinition } from '../../connectors/index.ts';
import { type Application, openApplication } from '../../src/application.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { readProcessSpace } from '../../src/core/owner.ts';
import { createRunner, type EndedRun, type Runner } from '../../src/jobs/runner.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { type CliWorld, type CliWorldOptions, openCliWorld, SECRET_KEY } from '../helpers/cli.ts';

/** A runner and the product that it uses. Both are in one process. */
export interface RunnerWorld {
  application: Application;
  runner: Runner;
  /** The runs that have ended so far, in order. */
  ended: EndedRun[];
  /** Waits until this many runs have ended. Returns the last run. */
  untilEnded(count: number): Promise<EndedRun>;
}

/** A service, files and settings, for as many processes as a test wants. */
export interface RunnerHouse {
  world: CliWorld;
  /** Opens the product as a host with this name does. Does not start the runner. */
  openRunner(host: string, maxRunsAtOnce?: number): Promise<RunnerWorld>;
  close(): Promise<void>;
}

export async function openRunnerHouse(options: CliWorldOptions = {}): Promise<RunnerHouse> {
  const world = await openCliWorld(options);
  const closers: (() => Promise<void>)[] = [];
  return {
    world,
    async openRunner(host, maxRunsAtOnce = 4) {
      const settings = await loadSettings({
        path: world.path('donor-sync.yaml'),
        env: { PARTNER_API_KEY: world.service.apiKey },
        cwd: '/',
        findConnectorDefinition,
      });
      const application = await openApplication({
        settings,
        secretKey: options.databaseUrl === undefined ? undefined : SECRET_KEY,
        clock: systemClock,
        log: silentLog,
        owner: {
          host,
          processId: process.pid,
          start: crypto.randomUUID(),
          space: readProcessSpace(),
        },
      });
      const runner = createRunner(application, {
        clock: systemClock,
        log: silentLog,
        maxRunsAtOnce,
      });
      closers.unshift(
        () => application.close(),
        () => runner.stop(),
      );
      return { application, runner, ...watchEnds(runner) };
    },
    async close() {
      while (closers.length > 0) await closers.pop()?.();
      await world.close();
    },
  };
}

function watchEnds(runner: Runner): Pick<RunnerWorld, 'ended' | 'untilEnded'> {
  const ended: EndedRun[] = [];
  runner.onRunEnded((run) => void ended.push(run));
  return {
    ended,
    async untilEnded(count) {
      await until(() => ended.length >= count);
      const last = ended[count - 1];
      if (last === undefined) throw new Error('no run has ended');
      return last;
    },
  };
}

const LOOK_INTERVAL_MS = 20;
const MAX_LOOKS = 3_000;

/** Waits until a condition is true. Throws an error if this takes too long. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if (await isSo()) return;
    await sleep(LOOK_INTERVAL_MS);
  }
  throw new Error('it never came to be');
}
