import type { ConnectorSecrets } from '../../connectors/contract.ts';
import { secretSealContext } from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import { secretPrefix } from '../database/encryption/secrets.ts';
import type { NewAuditEntry } from '../privacy/audit/record.ts';
import type { Store } from '../store.ts';

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
  const toSecretName = (name: string) => `${secretPrefix(integrationId)}${name}`;
  return {
    async read(name) {
      const sealed = await store.secrets.find(toSecretName(name));
      return sealed === null ? null : sealer.open(sealed, secretSealContext(toSecretName(name)));
    },
    write: (name, value, entry) =>
      store.secrets.save(
        toSecretName(name),
        sealer.seal(value, secretSealContext(toSecretName(name))),
        entry,
      ),
    remove: (name, entry) => store.secrets.remove(toSecretName(name), entry),
  };
}
