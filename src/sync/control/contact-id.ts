import type { ConnectorDefinition } from '../../../connectors/contract.ts';
import { ConfigurationError } from '../../core/errors.ts';

/** Returns the canonical form of a contact's ID, or null if the text cannot be an ID. */
export type CanonicalId = (text: string) => string | null;

/**
 * Returns a contact's ID in the form that the database and the connector use. Some CRMs show two forms of each contact
 * ID. If donor-sync stored both forms as separate contacts, it would pay twice. Throws a ConfigurationError if the text
 * cannot be a contact's ID.
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

/**
 * Returns the connector's `canonicalId` function. If the connector does not define this function, each ID has only one
 * form.
 */
export function getCanonicalId(definition: ConnectorDefinition): CanonicalId {
  return (text) => (definition.canonicalId ? definition.canonicalId(text) : text);
}
