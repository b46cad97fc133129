/** The address of a constituent's page. Several public programs use addresses of this form. */
const PAGE = 'https://crm.bloomerang.co/Constituent';

/** Returns null for a server that does not belong to Bloomerang. */
export function recordUrl({ url }: { url: string }, id: string): string | null {
  const hostname = URL.canParse(url) ? new URL(url).hostname : '';
  if (hostname !== 'api.bloomerang.co') return null;
  return `${PAGE}/${encodeURIComponent(id)}/Profile`;
}
