/** Creates the alerts according to the settings. */
import type { Application } from '../../application.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { readLinkAddress } from '../../people/server-address.ts';
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

/**
 * Creates the channels. The caller has to close the channels. `listensAt` returns the address at which this process
 * listens, or null if it does not listen.
 */
export function createProductAlerts(
  { clock, log }: ProcessDeps,
  {
    store,
    integrations,
    settings: { alerts: settings, server },
    takeLease,
    guard,
  }: AlertApplication,
  listensAt: () => string | null,
): Alerts {
  const given = { publicUrl: server.publicUrl, hasOwnUrl: hasOwnUrl(server) };
  return createAlerts({
    store,
    integrations,
    settings,
    clock,
    log,
    readUrl: () => readLinkAddress(store.reader, given, listensAt()),
    guard,
    takeLease,
  });
}

/** Checks all alerts once. Stops when `signal` is aborted. */
export async function checkAlertsOnce(
  deps: ProcessDeps,
  application: AlertApplication,
  signal: AbortSignal,
): Promise<void> {
  const alerts = createProductAlerts(deps, application, () => null);
  const close = () => void alerts.close();
  signal.addEventListener('abort', close);
  try {
    await alerts.tick();
  } finally {
    signal.removeEventListener('abort', close);
    await alerts.close();
  }
}
