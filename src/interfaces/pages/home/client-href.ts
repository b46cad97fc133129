/** The page of one client. */
export function clientHref(integrationId: string): string {
  return `/clients/${integrationId}`;
}

/** What waits for a person, of one client or of all. */
export function decisionsHref(integrationId?: string): string {
  return integrationId === undefined ? '/decisions' : `/decisions?client=${integrationId}`;
}
