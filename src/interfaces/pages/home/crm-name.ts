const CRM_NAMES: ReadonlyMap<string, string> = new Map([
  ['salesforce', 'Salesforce'],
  ['hubspot', 'HubSpot'],
  ['csv', 'CSV file'],
  ['memory', 'Memory'],
]);

/** The kind of a CRM as its maker writes it. */
export function crmName(kind: string): string {
  return CRM_NAMES.get(kind) ?? kind;
}
