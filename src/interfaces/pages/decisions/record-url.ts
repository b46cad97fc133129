import type { Integration } from '../../../core/integration-settings.ts';

/**
 * The page of a contact in its CRM; null where the settings do not tell where that is. A My Domain
 * of Salesforce shows the record of any id. HubSpot's pages need the number of the account, which
 * is kept nowhere, and a file has no pages.
 */
export function recordUrl({ crm }: Pick<Integration, 'crm'>, contactId: string): string | null {
  const { kind, url } = crm;
  if (kind !== 'salesforce' || typeof url !== 'string' || !URL.canParse(url)) return null;
  const { protocol, hostname, origin } = new URL(url);
  if (protocol !== 'https:' || !hostname.endsWith('.my.salesforce.com')) return null;
  return `${origin}/${encodeURIComponent(contactId)}`;
}
