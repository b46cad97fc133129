/** Reads and renders the list of clients before a user requests it, so that the first request is fast. */
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

/** JavaScript is compiled while it runs, so code that has already run several times is faster. */
const TIMES = 3;

/** The maximum time by which this delays the start of the service. */
const MOST_MS = 2_000;

/** Prepares the home page. Never rejects, because a slow first page is better than no service. */
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
