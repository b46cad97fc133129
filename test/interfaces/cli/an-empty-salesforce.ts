import { writeFile } from 'node:fs/promises';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { sandboxControl } from '../../connectors/crm-sandbox.ts';
import type { CliWorld } from '../../helpers/cli.ts';

/** Opens an org that has the Nonprofit Success Pack but no contacts, and writes settings for it. */
export async function openSalesforce({ path, service }: CliWorld) {
  const crm = await startSalesforceSandbox({ contacts: 0, donors: 10, shape: 'npsp' });
  const auth = `{ type: clientCredentials, clientId: "${crm.clientId}", clientSecret: "${crm.clientSecret}" }`;
  const settings = `database: "sqlite:store.db"
integrations:
  - id: riverside
    partner: { baseUrl: "${service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: { kind: salesforce, url: "${crm.baseUrl}", auth: ${auth} }
`;
  await writeFile(path('donor-sync.yaml'), settings);
  const { control } = sandboxControl(crm.rootUrl);
  return { control, [Symbol.asyncDispose]: () => crm.close() };
}
