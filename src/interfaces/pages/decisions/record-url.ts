import { findConnectorDefinition } from '../../../../connectors/index.ts';
import type { Integration } from '../../../core/integration-settings.ts';

/** Null if unknown. */
export type RecordUrls = (contactId: string) => string | null;

/** The client's connector builds the addresses. Null if the connector cannot be loaded. */
export async function findRecordUrls({ crm }: Pick<Integration, 'crm'>): Promise<RecordUrls> {
  const definition = await findConnectorDefinition(crm.kind).catch(() => null);
  if (definition?.recordUrl === undefined) return noUrl;
  const { success, data } = definition.settingsSchema.safeParse(crm);
  return (id) => (success ? (definition.recordUrl?.(data, id) ?? null) : null);
}

/** For a client that is no longer set up. */
export function noUrl(): null {
  return null;
}
