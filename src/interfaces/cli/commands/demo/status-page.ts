import { once } from 'node:events';
import { createServer } from 'node:net';
import packageFile from '../../../../../package.json' with { type: 'json' };
import type { Application } from '../../../../application.ts';
import { silentLog } from '../../../../core/log.ts';
import { createRunner } from '../../../../jobs/runner.ts';
import { createHttpApp } from '../../../api/app.ts';
import { startHttpServer } from '../../../api/server.ts';
import { type ProductDeps, withApplication } from '../../action/product.ts';
import type { Output } from '../../terminal/output.ts';
import { untilStopped } from '../../terminal/stop-signal.ts';

/** The address of the demo. Other machines cannot reach it, so the demo needs no token. */
const HOST = '127.0.0.1';

/** A demo has three integrations. */
const MAX_RUNS_AT_ONCE = 3;

export interface StatusPage {
  /** The service address that the set-up offers. Defaults to none. */
  serviceUrl?: string;
  started(url: string, application: Application): void | Promise<void>;
}

/** Serves the pages on a free port until `stopped`. Calls `started` with the address. */
export function serveStatusPage(
  deps: ProductDeps,
  settings: string,
  stopped: AbortSignal,
  { serviceUrl, started }: StatusPage,
): Promise<void> {
  const { clock } = deps;
  const env = {
    ...deps.env,
    PARTNER_BASE_URL: serviceUrl,
    DONOR_SYNC_SETUP_HOSTS: `${HOST}:*`,
  };
  const quietDeps = { ...deps, env, log: silentLog };
  return withApplication(quietDeps, settings, async (application) => {
    const parts = { clock, log: silentLog };
    const port = await findPort();
    const runner = createRunner(application, { ...parts, maxRunsAtOnce: MAX_RUNS_AT_ONCE });
    const app = createHttpApp({
      application,
      runner,
      ...parts,
      // Invitation links contain the page's own address.
      publicUrl: `http://${HOST}:${port}`,
      // All data is invented, so a one-time link would only be an obstacle.
      withoutToken: 'thisMachine',
      // The demo has no schedules.
      lastTickAt: clock.now,
      stopping: stopped,
      version: packageFile.version,
    });
    const http = await startHttpServer({ app, host: HOST, port });
    try {
      runner.start();
      await started(http.url, application);
      await untilStopped(stopped);
    } finally {
      await runner.stop();
      await http.close();
    }
  });
}

/** Finds a port that is currently free. */
async function findPort(): Promise<number> {
  const probe = createServer().listen(0, HOST);
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

export function showStatusPage(output: Output, url: string): void {
  output.print();
  output.print(`${output.style.strong('The pages:')} ${url}`);
  output.print('  To start a sync there: Actions, Sync now.');
}
