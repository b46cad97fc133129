import type { Integration } from '../../../core/integration-settings.ts';

/**
 * Returns the address of a contact's page in its CRM; null if it cannot be derived from the settings. A
 * Salesforce My Domain shows the record of any ID. HubSpot's addresses need the account number, which is not
 * stored, and a file has no pages.
 */
export function recordUrl({ crm }: Pick<Integration, 'crm'>, contactId: string): string | null {
  const { kind, url } = crm;
  if (kind !== 'salesforce' || typeof url !== 'string' || !URL.canParse(url)) return null;
  const { protocol, hostname, origin } = new URL(url);
  if (protocol !== 'https:' || !hostname.endsWith('.my.salesforce.com')) return null;
  return `${origin}/${encodeURIComponent(contactId)}`;
}
