import type { Application } from '../../application.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { readLinkAddress } from '../../people/server-address.ts';
import { hasOwnUrl } from '../../settings/settings.ts';
import { createMonthlyMails, type MonthlyMails } from './monthly-mails.ts';

/**
 * Creates the sender of the monthly emails. The caller has to close the sender. `listensAt` returns the address at
 * which this process listens.
 */
export function createProductMails(
  { clock, log }: { clock: Clock; log: Log },
  {
    store,
    sealer,
    integrations,
    settings,
  }: Pick<Application, 'store' | 'sealer' | 'integrations' | 'settings'>,
  listensAt: () => string,
): MonthlyMails {
  const { server, alerts, retention } = settings;
  const given = { publicUrl: server.publicUrl, hasOwnUrl: hasOwnUrl(server) };
  return createMonthlyMails({
    store,
    sealer,
    integrations,
    retention,
    server: alerts.email,
    readUrl: async () => {
      const own = listensAt();
      return (await readLinkAddress(store.reader, given, own)) ?? own;
    },
    clock,
    log,
  });
}
