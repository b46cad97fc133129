/**
 * Returns the address of a contact's page. A My Domain shows the record of any ID. The address of the login server
 * leads to no org.
 */
export function recordUrl({ url }: { url: string }, id: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, origin } = new URL(url);
  if (protocol !== 'https:' || !hostname.endsWith('.my.salesforce.com')) return null;
  return `${origin}/${encodeURIComponent(id)}`;
}
