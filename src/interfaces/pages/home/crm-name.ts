const CRM_NAMES: ReadonlyMap<string, string> = new Map([
  ['salesforce', 'Salesforce'],
  ['hubspot', 'HubSpot'],
  ['csv', 'CSV file'],
  ['memory', 'Memory'],
]);

/** Returns a CRM's kind, as its vendor spells it. */
export function crmName(kind: string): string {
  return CRM_NAMES.get(kind) ?? kind;
}
