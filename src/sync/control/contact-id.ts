import type { ConnectorDefinition } from '../../../connectors/contract.ts';
import { ConfigurationError } from '../../core/errors.ts';

/** Returns the canonical form of a contact's ID, or null if the text cannot be an ID. */
export type CanonicalId = (text: string) => string | null;

/**
 * Returns a contact's ID in the form that the store and the connector use. Some CRMs show two forms of each ID. If both
 * forms were stored as separate contacts, donor-sync would pay for both. Throws a ConfigurationError if the text cannot
 * be a contact's ID.
 */
export function toContactId(canonicalId: CanonicalId, integrationId: string, text: string): string {
  const trimmed = text.trim();
  const id = trimmed === '' || /\p{Cc}/u.test(trimmed) ? null : canonicalId(trimmed);
  if (id !== null) return id;
  throw new ConfigurationError(
    `"${text}" cannot be a contact ID in the CRM of "${integrationId}". Copy the ID from the address of the contact's page in the CRM.`,
    { code: 'contact_id_malformed', details: { integration: integrationId } },
  );
}

/** Returns the connector's `canonicalId`. If the connector does not define one, its IDs have only one form. */
export function getCanonicalId(definition: ConnectorDefinition): CanonicalId {
  return (text) => (definition.canonicalId ? definition.canonicalId(text) : text);
}
