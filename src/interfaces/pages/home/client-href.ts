/** Returns the address of one client's page. */
export function clientHref(integrationId: string): string {
  return `/clients/${integrationId}`;
}

/** Returns the address of the open decisions of one client, or of all clients. */
export function decisionsHref(integrationId?: string): string {
  return integrationId === undefined ? '/decisions' : `/decisions?client=${integrationId}`;
}
