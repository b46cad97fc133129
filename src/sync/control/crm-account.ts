/**
 * Binds each integration to its first CRM account. In a different account, the same ID means a different person, so
 * donor-sync refuses other accounts.
 */
import type { Connector, CrmAccount } from '../../../connectors/contract.ts';
import { findIntegrationState, pinCrmAccount } from '../../clients/statements/integrations.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Lease } from '../../database/leases.ts';
import type { Store } from '../../database/store.ts';
import type { RunDeps, SyncDeps } from './context.ts';

/**
 * Opens a connector and checks that it is connected to the integration's account. If a lease is given and no account is
 * stored yet, stores the account permanently. If the account is different, closes the connector and throws a
 * ConfigurationError.
 */
export async function openPinned(
  store: Store,
  integration: Pick<Integration, 'id'>,
  lease: Lease | null,
  open: () => Promise<Connector>,
): Promise<Connector> {
  const connector = await open();
  try {
    const isKnown = await requireSameAccount(store, integration, connector.account);
    if (!isKnown && lease !== null) {
      await store.checkpoint(lease, (trx) =>
        pinCrmAccount(trx, accountFingerprint(store, connector)),
      );
    }
    return connector;
  } catch (error) {
    await connector.close();
    throw error;
  }
}

/** Opens the CRM of an integration, as `RunDeps.openConnector` describes. */
export async function openCrm(deps: RunDeps, lease: Lease | null): Promise<SyncDeps> {
  return { ...deps, connector: await deps.openConnector(lease) };
}

export function accountFingerprint(
  { fingerprint }: Pick<Store, 'fingerprint'>,
  { account }: Pick<Connector, 'account'>,
): string {
  return fingerprint('crm_account', account.id);
}

/**
 * Returns true for the stored account, and false if no account is stored yet. Throws a ConfigurationError for any other
 * account.
 */
async function requireSameAccount(
  store: Store,
  { id }: Pick<Integration, 'id'>,
  account: CrmAccount,
): Promise<boolean> {
  const { crmAccount } = await findIntegrationState(store.reader, id);
  if (crmAccount === null) return false;
  if (crmAccount === accountFingerprint(store, { account })) return true;
  throw accountChanged(id, account);
}

/**
 * Creates the error for a different CRM account. In a different account, the same ID means a different person, so a
 * client always keeps its account.
 */
export function accountChanged(id: string, { name }: Pick<CrmAccount, 'name'>): ConfigurationError {
  return new ConfigurationError(
    `"${id}" was connected to another CRM account before, and is now connected to "${name}". The same IDs mean different people in another account. Nothing was changed. Sign in to the account that it was connected to, or set up a client for the new one: donor-sync init`,
    { code: 'crm_account_changed', details: { integration: id } },
  );
}
