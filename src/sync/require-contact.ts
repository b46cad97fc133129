import { findContacts } from '../contacts/contacts.ts';
import type { ConfigurationError } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import { unknownContact } from '../core/shared-errors.ts';
import type { SyncDeps } from './control/context.ts';
import { lookUp } from './control/look-up.ts';

type KnowingDeps = Pick<SyncDeps, 'store' | 'connector'>;

/**
 * Returns the given IDs that neither the CRM nor the database contains. The former ID of a known contact counts as
 * known.
 */
export async function findUnknown(
  { store, connector }: KnowingDeps,
  { id: integrationId }: Pick<Integration, 'id'>,
  crmIds: readonly string[],
): Promise<string[]> {
  if (crmIds.length === 0) return [];
  const lookups = await lookUp(connector, crmIds);
  const gone = lookups.filter(
    (each) => each.state === 'missing' || (each.state === 'removed' && each.mergedInto === null),
  );
  const goneIds = gone.map(({ id }) => id);
  if (goneIds.length === 0) return [];
  const known = await findContacts(store.reader, integrationId, goneIds);
  return goneIds.filter((id) => !known.has(id));
}

/**
 * Throws a ConfigurationError if neither the CRM nor the database contains the ID. The user has probably mistyped the
 * ID, because the database would still contain a contact that has left.
 */
export async function requireContact(
  deps: KnowingDeps,
  integration: Integration,
  crmId: string,
): Promise<void> {
  const [unknown] = await findUnknown(deps, integration, [crmId]);
  if (unknown !== undefined) throw contactUnknown(integration, unknown);
}

/** Creates the error for a requested run whose contact does not exist. */
export function contactUnknown({ id }: Integration, crmId: string): ConfigurationError {
  return unknownContact(id, crmId, { source: 'CRM' });
}
