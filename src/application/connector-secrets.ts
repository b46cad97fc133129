import type { ConnectorSecrets } from '../../connectors/contract.ts';
import type { NewAuditEntry } from '../store/audit/record.ts';
import { secretPlace } from '../store/secrets/seal-places.ts';
import type { Sealer } from '../store/secrets/sealed.ts';
import { secretPrefix } from '../store/secrets/secrets.ts';
import type { Store } from '../store/store.ts';

/** The secrets of one integration's connector; only the product itself takes one away. */
export interface IntegrationSecrets extends ConnectorSecrets {
  write(name: string, value: string, entry?: NewAuditEntry): Promise<void>;
  remove(name: string, entry?: NewAuditEntry): Promise<void>;
}

/** Sealed, under names that no other integration has. */
export function connectorSecrets(
  { store, sealer }: { store: Pick<Store, 'secrets'>; sealer: Pick<Sealer, 'seal' | 'open'> },
  integrationId: string,
): IntegrationSecrets {
  const nameOf = (name: string) => `${secretPrefix(integrationId)}${name}`;
  return {
    async read(name) {
      const sealed = await store.secrets.find(nameOf(name));
      return sealed === null ? null : sealer.open(sealed, secretPlace(nameOf(name)));
    },
    write: (name, value, entry) =>
      store.secrets.save(nameOf(name), sealer.seal(value, secretPlace(nameOf(name))), entry),
    remove: (name, entry) => store.secrets.remove(nameOf(name), entry),
  };
}
