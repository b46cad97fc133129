/** The end of the demo: the status page of its integrations, as `serve` would show it. */
import packageFile from '../../../../package.json' with { type: 'json' };
import { createRunner } from '../../../application/runner.ts';
import { silentLog } from '../../../core/log.ts';
import { createHttpApp } from '../../../http/app.ts';
import { startHttpServer } from '../../../http/server.ts';
import { type ProductDeps, withApplication } from '../../action/product.ts';
import type { Output } from '../../terminal/output.ts';
import { untilStopped } from '../sandbox/until-stopped.ts';

/** The demo cannot be reached from outside this machine, and it needs no token there. */
const HOST = '127.0.0.1';

/** Syncs that are asked for on the page; a demo has three integrations. */
const MAX_RUNS_AT_ONCE = 3;

/** Serves at a free port until `stopped`; calls `started` with the address. */
export function serveStatusPage(
  deps: ProductDeps,
  settings: string,
  stopped: AbortSignal,
  started: (url: string) => void,
): Promise<void> {
  const { clock } = deps;
  const quietDeps = { ...deps, log: silentLog };
  return withApplication(quietDeps, settings, async (application) => {
    const parts = { clock, log: silentLog };
    const runner = createRunner(application, { ...parts, maxRunsAtOnce: MAX_RUNS_AT_ONCE });
    const app = createHttpApp({
      ...{ application, runner, ...parts },
      publicUrl: `http://${HOST}`,
      // Invented people and credits: a link that works once would only be in the way.
      withoutToken: 'thisMachine',
      // The demo has no schedules that could be late.
      lastTickAt: clock.now,
      stopping: stopped,
      version: packageFile.version,
    });
    const http = await startHttpServer({ app, host: HOST, port: 0 });
    try {
      runner.start();
      started(http.url);
      await untilStopped(stopped);
    } finally {
      await runner.stop();
      await http.close();
    }
  });
}

/** Says where the page is. */
export function showStatusPage(output: Output, url: string): void {
  output.print();
  output.print(`${output.style.strong('The status page of the three integrations:')} ${url}`);
  output.print('  "Sync now" works there, and so does deciding about the contact that is held.');
}
