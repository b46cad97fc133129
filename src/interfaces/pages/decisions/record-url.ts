import { findConnectorDefinition } from '../../../../connectors/index.ts';
import type { Integration } from '../../../core/integration-settings.ts';

/** Returns the address of a contact's record in the CRM, or null if the address is unknown. */
export type RecordUrls = (contactId: string) => string | null;

/**
 * Loads the client's connector, which builds the addresses of records. Returns a function that returns null if the
 * connector cannot be loaded.
 */
export async function findRecordUrls({ crm }: Pick<Integration, 'crm'>): Promise<RecordUrls> {
  const definition = await findConnectorDefinition(crm.kind).catch(() => null);
  if (definition?.recordUrl === undefined) return noUrl;
  const { success, data } = definition.settingsSchema.safeParse(crm);
  return (id) => (success ? (definition.recordUrl?.(data, id) ?? null) : null);
}

/** Returns no address, for a client that is no longer set up. */
export function noUrl(): null {
  return null;
}
