/** The alerts of the whole product, according to its settings. */
import type { Application } from '../../application.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { readAddresses } from '../../people/server-address.ts';
import { hasOwnUrl } from '../../settings/settings.ts';
import { type Alerts, createAlerts } from './alerts.ts';

interface ProcessDeps {
  clock: Clock;
  log: Log;
}

type AlertApplication = Pick<
  Application,
  'store' | 'integrations' | 'settings' | 'takeLease' | 'guard'
>;

/** Returns the channels. The caller closes them. */
export function createProductAlerts(
  { clock, log }: ProcessDeps,
  {
    store,
    integrations,
    settings: { alerts: settings, server },
    takeLease,
    guard,
  }: AlertApplication,
): Alerts {
  const given = { publicUrl: server.publicUrl, hasOwnUrl: hasOwnUrl(server) };
  return createAlerts({
    store,
    integrations,
    settings,
    clock,
    log,
    readUrl: async () => (await readAddresses(store.reader, given)).url,
    guard,
    takeLease,
  });
}

/**
 * Checks once and sends the changes, for a process that does not watch alerts. Gives up when `signal` is
 * aborted.
 */
export async function checkAlertsOnce(
  deps: ProcessDeps,
  application: AlertApplication,
  signal: AbortSignal,
): Promise<void> {
  const alerts = createProductAlerts(deps, application);
  const close = () => void alerts.close();
  signal.addEventListener('abort', close);
  try {
    await alerts.tick();
  } finally {
    signal.removeEventListener('abort', close);
    await alerts.close();
  }
}
