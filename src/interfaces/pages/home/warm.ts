/** Reads and renders the list of clients when the server starts, so that the first request is fast. */
import type { Application } from '../../../application.ts';
import type { ClientReader } from '../../../clients/views/clients.ts';
import type { Clock } from '../../../core/clock.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { readHome } from './home-view.ts';

interface WarmDeps {
  application: Pick<Application, 'integrations'>;
  clients: ClientReader;
  clock: Pick<Clock, 'now' | 'sleep'>;
  log: Pick<Log, 'debug'>;
  version: string;
}

/** The number of repetitions. JavaScript is compiled while it runs, so code becomes faster after several runs. */
const TIMES = 3;

/** The maximum delay of the server's start. */
const MOST_MS = 2_000;

/**
 * Prepares the home page. This function never rejects, because a slow first page is better than a server that does not
 * start.
 */
export async function warmHome(deps: WarmDeps): Promise<void> {
  const over = new AbortController();
  await Promise.race([warm(deps), deps.clock.sleep(MOST_MS, over.signal)]);
  over.abort();
}

async function warm(deps: WarmDeps): Promise<void> {
  const { application, clients, clock, log, version } = deps;
  const query = { show: 'all', crm: '', q: '', sort: 'set-up', from: 0 } as const;
  try {
    const { renderHome } = await import('./home-pages.tsx');
    for (let time = 0; time < TIMES; time += 1) {
      const home = await readHome(clients, application.integrations, query);
      await renderHome({ principal: null, now: clock.now(), version }, home, null);
    }
  } catch (error) {
    log.debug({ error: messageOf(error) }, 'the first page could not be made ready');
  }
}
