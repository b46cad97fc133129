/**
 * Writes a settings file with one client, `riverside`. The client has a CSV file and uses the key PARTNER_API_KEY.
 */
export function aSettingsFile({ database = 'sqlite:data.db', partnerUrl = 'https://p.example' }) {
  return `database: "${database}"
integrations:
  - id: riverside
    partner: { baseUrl: "${partnerUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm:
      kind: csv
      path: contacts.csv
      columns: { id: Id, firstName: First, lastName: Last }
`;
}
