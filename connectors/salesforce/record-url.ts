/**
 * Returns the address of a contact's page. A My Domain address shows the record for any ID. The address of the login
 * server does not lead to an org.
 */
export function recordUrl({ url }: { url: string }, id: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, origin } = new URL(url);
  if (protocol !== 'https:' || !hostname.endsWith('.my.salesforce.com')) return null;
  return `${origin}/${encodeURIComponent(id)}`;
}
