import { ConfigurationError } from '../core/errors.ts';
import type { Integration } from '../core/integration.ts';
import type { SyncDeps } from '../run/context.ts';

/**
 * An id that neither the CRM nor the store knows is a slip of the pen, not a contact that left:
 * throws a ConfigurationError.
 */
export async function requireContact(
  { store, connector }: Pick<SyncDeps, 'store' | 'connector'>,
  { id: integrationId }: Integration,
  crmId: string,
): Promise<void> {
  const [lookup] = await connector.readByIds([crmId], []);
  if (lookup?.state === 'found' || lookup?.mergedInto) return;
  if ((await store.contacts.find(integrationId, [crmId])).size > 0) return;
  throw new ConfigurationError(`There is no contact "${crmId}" in the CRM of "${integrationId}".`, {
    code: 'contact_unknown',
    details: { integration: integrationId, contact: crmId },
  });
}
