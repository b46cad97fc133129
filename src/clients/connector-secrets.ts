import type { ConnectorSecrets } from '../../connectors/contract.ts';
import { secretSealContext } from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import {
  findSecret,
  removeSecret,
  saveSecret,
  secretPrefix,
} from '../database/encryption/secrets.ts';
import { isPassing, isUnconfirmed } from '../database/store-error.ts';
import { again, LEASE_MS } from '../database/transact.ts';
import { type NewAuditEntry, recordEntry } from '../privacy/audit/record.ts';
import type { Store } from '../store.ts';

/** A connector's secrets. Only donor-sync itself can remove all of a connector's secrets. */
export interface IntegrationSecrets extends ConnectorSecrets {
  write(name: string, value: string, entry?: NewAuditEntry): Promise<void>;
  remove(name: string, entry?: NewAuditEntry): Promise<void>;
}

/** Stores a connector's secrets in encrypted form, under names that no other integration uses. */
export function connectorSecrets(
  {
    store,
    sealer,
  }: { store: Pick<Store, 'reader' | 'act'>; sealer: Pick<Sealer, 'seal' | 'open'> },
  integrationId: string,
): IntegrationSecrets {
  const toSecretName = (name: string) => `${secretPrefix(integrationId)}${name}`;
  return {
    async read(name) {
      const sealed = await findSecret(store.reader, toSecretName(name));
      return sealed === null ? null : sealer.open(sealed, secretSealContext(toSecretName(name)));
    },
    async write(name, value, entry) {
      const sealed = sealer.seal(value, secretSealContext(toSecretName(name)));
      // The CRM has already made the old token invalid. If donor-sync loses the new token, the client loses its
      // connection.
      const save = () =>
        store.act(async (trx) => {
          await saveSecret(trx, toSecretName(name), sealed);
          if (entry !== undefined) await recordEntry(trx, entry);
        });
      // Storing the token twice is harmless, so storing is repeated even if the first attempt may have succeeded.
      const isRepeated = (error: unknown) =>
        isPassing(error) || (entry === undefined && isUnconfirmed(error));
      await again(LEASE_MS, save, isRepeated);
    },
    async remove(name, entry) {
      await store.act(async (trx) => {
        await removeSecret(trx, toSecretName(name));
        if (entry !== undefined) await recordEntry(trx, entry);
      });
    },
  };
}
