import type { Integration } from '../../../core/integration-settings.ts';

/**
 * Returns the page of a contact in its CRM; null if the settings do not reveal its address. A Salesforce My Domain
 * shows the record of any ID. HubSpot's pages need the account number, which is not stored, and a file has no pages.
 */
export function recordUrl({ crm }: Pick<Integration, 'crm'>, contactId: string): string | null {
  const { kind, url } = crm;
  if (kind !== 'salesforce' || typeof url !== 'string' || !URL.canParse(url)) return null;
  const { protocol, hostname, origin } = new URL(url);
  if (protocol !== 'https:' || !hostname.endsWith('.my.salesforce.com')) return null;
  return `${origin}/${encodeURIComponent(contactId)}`;
}
