/** Several public clients link to the page of a constituent in this form. */
const PAGE = 'https://crm.bloomerang.co/Constituent';

/** Null for a server other than Bloomerang's. */
export function recordUrl({ url }: { url: string }, id: string): string | null {
  const hostname = URL.canParse(url) ? new URL(url).hostname : '';
  if (hostname !== 'api.bloomerang.co') return null;
  return `${PAGE}/${encodeURIComponent(id)}/Profile`;
}
