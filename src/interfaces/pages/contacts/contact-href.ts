/** Returns the address of a contact's page. The IDs in a file can contain any characters. */
export function contactHref(integrationId: string, crmId: string): string {
  return `/clients/${encodeURIComponent(integrationId)}/contacts/${encodeURIComponent(crmId)}`;
}
