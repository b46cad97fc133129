/** The monthly mails of the whole product, according to its settings. */
import type { Application } from '../../application.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { readAddresses } from '../../people/server-address.ts';
import { hasOwnUrl } from '../../settings/settings.ts';
import { createMonthlyMails, type MonthlyMails } from './monthly-mails.ts';

/** Returns the caller closes them. */
export function createProductMails(
  { clock, log }: { clock: Clock; log: Log },
  {
    store,
    sealer,
    integrations,
    settings,
  }: Pick<Application, 'store' | 'sealer' | 'integrations' | 'settings'>,
): MonthlyMails {
  const { server, alerts, retention } = settings;
  const given = { publicUrl: server.publicUrl, hasOwnUrl: hasOwnUrl(server) };
  return createMonthlyMails({
    store,
    sealer,
    integrations,
    retention,
    server: alerts.email,
    readUrl: async () => (await readAddresses(store.reader, given)).url,
    clock,
    log,
  });
}
