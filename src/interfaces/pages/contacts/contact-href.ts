/** Returns the address of a contact's page. An ID from a CSV file can contain any character. */
export function contactHref(integrationId: string, crmId: string): string {
  return `/clients/${encodeURIComponent(integrationId)}/contacts/${encodeURIComponent(crmId)}`;
}
