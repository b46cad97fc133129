import { type Alerts, createAlerts } from '../../../alerts/alerts.ts';
import type { Application } from '../../../application.ts';
import type { Settings } from '../../../config.ts';
import type { ProductDeps } from '../../action/product.ts';

/** The alerts of the product as the settings want them; the caller closes them. */
export function productAlerts(
  { clock, log }: Pick<ProductDeps, 'clock' | 'log'>,
  { store, integrations, takeLease }: Application,
  { alerts: settings, server }: Settings,
): Alerts {
  return createAlerts({
    ...{ store, integrations, settings, clock, log },
    ...{ publicUrl: server.publicUrl, takeLease },
  });
}
