/** The page of a constituent, as several public clients link to it. */
const PAGE = 'https://crm.bloomerang.co/Constituent';

/** Returns the address of a contact's page, or null if the settings name another server than Bloomerang's. */
export function recordUrl({ url }: { url: string }, id: string): string | null {
  const hostname = URL.canParse(url) ? new URL(url).hostname : '';
  if (hostname !== 'api.bloomerang.co') return null;
  return `${PAGE}/${encodeURIComponent(id)}/Profile`;
}
