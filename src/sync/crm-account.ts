/** Which CRM account an integration belongs to. */
import type { CrmAccount } from '../../connectors/contract.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Integration } from '../core/integration.ts';
import type { Store } from '../store/store.ts';

/**
 * Throws a ConfigurationError if the integration was connected to another account before: the ids
 * of one account mean other people in another. Changes nothing; true if the account is on record.
 */
export async function requireSameAccount(
  store: Pick<Store, 'fingerprint' | 'integrations'>,
  integration: Pick<Integration, 'id'>,
  account: CrmAccount,
): Promise<boolean> {
  const { crmAccount } = await store.integrations.findState(integration.id);
  if (crmAccount === null) return false;
  if (crmAccount === store.fingerprint('crm_account', account.id)) return true;
  throw new ConfigurationError(
    `"${integration.id}" was connected to another CRM account before; now it leads to "${account.name}". Ids of one account mean other people in another: give the new account an integration of its own.`,
    { code: 'crm_account_changed', details: { integration: integration.id } },
  );
}
