import { writeFile } from 'node:fs/promises';
import { startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import type { CliWorld } from '../../helpers/cli.ts';

/** The address of the account's API, and a token with all scopes. */
export interface EmptyHubspot extends AsyncDisposable {
  baseUrl: string;
  token: string;
}

/** Opens a HubSpot account without any of the mapped properties, and writes settings for it. */
export async function openHubspot({ path, service }: CliWorld): Promise<EmptyHubspot> {
  const crm = await startHubspotSandbox({ contacts: 0, donors: 10, ratePer10s: 0 });
  const settings = `database: "sqlite:store.db"
integrations:
  - id: riverside
    partner: { baseUrl: "${service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: { kind: hubspot, url: "${crm.baseUrl}", auth: { type: token, token: "${crm.token}" } }
`;
  await writeFile(path('donor-sync.yaml'), settings);
  return { baseUrl: crm.baseUrl, token: crm.token, [Symbol.asyncDispose]: () => crm.close() };
}
