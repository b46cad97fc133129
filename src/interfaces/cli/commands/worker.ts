import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../application.ts';
import { createProductAlerts } from '../../../clients/alerts/product-alerts.ts';
import { followIntegrations } from '../../../clients/integrations.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { parseDatabaseUrl } from '../../../database/database-url.ts';
import { createRunner } from '../../../jobs/runner.ts';
import type { Settings } from '../../../settings/settings.ts';
import { readOptions, runAction } from '../action/command.ts';
import {
  baseOptions,
  loadProductSettings,
  type ProductDeps,
  productCommand,
  withProduct,
} from '../action/product.ts';
import type { Output } from '../terminal/output.ts';
import { untilStopped } from '../terminal/stop-signal.ts';
import { describeCount } from '../terminal/words.ts';
import { wholeNumber } from './sandbox/stand-in.ts';

const EXAMPLES = `
Examples:
  donor-sync worker
  donor-sync worker --runs 10     this many clients at the same time
  donor-sync worker --json        one line when it is ready: {"ready":true,"runs":4}

Carries out runs that schedules, users and webhooks have requested. Any number of workers, on any
machines, can share one Postgres database. \`donor-sync serve\` has the pages, the webhooks and the schedules.
SIGTERM or Ctrl-C ends the worker within ten seconds, and another worker continues its runs.`;

const optionsSchema = baseOptions.extend({ runs: z.number().optional() });

export function workerCommand(deps: ProductDeps): Command {
  const command = productCommand('worker', deps)
    .description(
      'carry out requested runs until stopped, together with other workers on one Postgres database',
    )
    .option(
      '--runs <n>',
      'clients at the same time (default: server.maxRunsAtOnce in the settings)',
      wholeNumber(1, 100),
    )
    .addHelpText('after', EXAMPLES);
  return command.action(() =>
    runAction(deps, command, async (output) => {
      const { config, runs } = readOptions(command, optionsSchema);
      const stopped = deps.stopSignal();
      const settings = await loadProductSettings(deps, config);
      requireServer(settings);
      const maxRunsAtOnce = runs ?? settings.server.maxRunsAtOnce;
      await withProduct(deps, settings, (application) =>
        workUntil(stopped, deps, output, { application, maxRunsAtOnce }),
      );
    }),
  );
}

/** Throws a ConfigurationError for a database file, because one process does all of its work. */
export function requireServer({ database }: Pick<Settings, 'database'>): void {
  if (parseDatabaseUrl(database).kind === 'postgres') return;
  throw new ConfigurationError(
    'Workers need a Postgres database, but this database is an SQLite file. With SQLite, `donor-sync serve` also carries out the runs.',
    { code: 'postgres_needed' },
  );
}

interface Work {
  application: Application;
  maxRunsAtOnce: number;
}

async function workUntil(
  stopped: AbortSignal,
  deps: ProductDeps,
  output: Output,
  { application, maxRunsAtOnce }: Work,
): Promise<void> {
  const { clock, log, stdout } = deps;
  await application.engine.open();
  const runner = createRunner(application, { clock, log, maxRunsAtOnce });
  const alerts = createProductAlerts(deps, application, () => null);
  runner.onRunEnded(({ report }) => alerts.afterRun(report));
  const unfollow = followIntegrations(application, deps, async () => runner.wake());
  try {
    runner.start();
    // The output is one line, so that a parent process can read it and continue.
    if (output.isJson) stdout.write(`${JSON.stringify({ ready: true, runs: maxRunsAtOnce })}\n`);
    const served = describeCount(application.integrations.size, 'integration');
    output.print(`Working for ${served}, ${maxRunsAtOnce} at the same time. Press Ctrl-C to stop.`);
    await untilStopped(stopped);
  } finally {
    await Promise.all([unfollow(), runner.stop()]);
    await alerts.close();
  }
}
