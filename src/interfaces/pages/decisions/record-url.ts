import { findConnectorDefinition } from '../../../../connectors/index.ts';
import type { Integration } from '../../../core/integration-settings.ts';

/** Returns the address of a contact's page in its CRM, or null if it is not known. */
export type RecordUrls = (contactId: string) => string | null;

/** Returns how a client's connector finds the pages of contacts. A connector that cannot be loaded finds none. */
export async function findRecordUrls({ crm }: Pick<Integration, 'crm'>): Promise<RecordUrls> {
  const definition = await findConnectorDefinition(crm.kind).catch(() => null);
  if (definition?.recordUrl === undefined) return noUrl;
  const { success, data } = definition.settingsSchema.safeParse(crm);
  return (id) => (success ? (definition.recordUrl?.(data, id) ?? null) : null);
}

/** For a client that is not set up any more. */
export function noUrl(): null {
  return null;
}
