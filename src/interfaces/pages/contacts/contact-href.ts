/** Returns the address of a contact's page. IDs of a file can have any characters. */
export function contactHref(integrationId: string, crmId: string): string {
  return `/clients/${encodeURIComponent(integrationId)}/contacts/${encodeURIComponent(crmId)}`;
}
