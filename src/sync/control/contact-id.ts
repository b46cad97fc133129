import type { ConnectorDefinition } from '../../../connectors/contract.ts';
import { ConfigurationError } from '../../core/errors.ts';

/** Gives the one form of a contact's id, or null for what cannot be one. */
export type CanonicalId = (text: string) => string | null;

/**
 * The id of a contact in the form that the store and the connector use. Salesforce shows two forms
 * of each id: taken for two contacts, they would be paid for twice. Throws a ConfigurationError for a
 * text that no contact can have as its id.
 */
export function toContactId(canonicalId: CanonicalId, integrationId: string, text: string): string {
  const trimmed = text.trim();
  const id = trimmed === '' || /\p{Cc}/u.test(trimmed) ? null : canonicalId(trimmed);
  if (id !== null) return id;
  throw new ConfigurationError(
    `"${text}" cannot be the id of a contact in the CRM of "${integrationId}". Copy the id from the address of the contact's page in the CRM.`,
    { code: 'contact_id_malformed', details: { integration: integrationId } },
  );
}

/** A connector that says nothing of its ids has one form of them. */
export function getCanonicalId(definition: ConnectorDefinition): CanonicalId {
  return (text) => (definition.canonicalId ? definition.canonicalId(text) : text);
}
