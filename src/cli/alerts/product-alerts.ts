import { type Alerts, createAlerts } from '../../alerts/alerts.ts';
import type { Application } from '../../application.ts';
import type { Settings } from '../../config.ts';
import { isRunning, ownerIsGone, ownerText } from '../../core/owner.ts';
import type { ProductDeps } from '../product.ts';

/** The alerts of the product as the settings want them; whoever makes them closes them. */
export function productAlerts(
  { clock, log, owner }: Pick<ProductDeps, 'clock' | 'log' | 'owner'>,
  { store, integrations }: Application,
  { alerts: settings, server }: Settings,
): Alerts {
  return createAlerts({
    ...{ store, integrations, settings, clock, log },
    publicUrl: server.publicUrl,
    takeLease: (name) =>
      store.leases.acquire(name, ownerText(owner), (other) => ownerIsGone(other, owner, isRunning)),
  });
}
