import { findConnectorDefinition } from '../../../../connectors/index.ts';
import type { Integration } from '../../../core/integration-settings.ts';

/** Returns the address of a contact's page in its CRM, or null if it is not known. */
export type RecordUrls = (contactId: string) => string | null;

/**
 * Returns the function with which a client's connector builds the addresses of contacts' pages. If the connector cannot
 * be loaded, the function returns null.
 */
export async function findRecordUrls({ crm }: Pick<Integration, 'crm'>): Promise<RecordUrls> {
  const definition = await findConnectorDefinition(crm.kind).catch(() => null);
  if (definition?.recordUrl === undefined) return noUrl;
  const { success, data } = definition.settingsSchema.safeParse(crm);
  return (id) => (success ? (definition.recordUrl?.(data, id) ?? null) : null);
}

/** Returns no address. Used for a client that is no longer set up. */
export function noUrl(): null {
  return null;
}
