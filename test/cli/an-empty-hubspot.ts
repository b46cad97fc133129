import { writeFile } from 'node:fs/promises';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import type { CliWorld } from '../helpers/cli.ts';

/** A HubSpot account without any of the mapped properties, and settings that lead to it. */
export async function openHubspot({ path, service }: CliWorld): Promise<AsyncDisposable> {
  const crm = await startHubspotSandbox({ contacts: 0, donors: 10, ratePer10s: 0 });
  const settings = `database: "sqlite:store.db"
integrations:
  - id: riverside
    partner: { baseUrl: "${service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: { kind: hubspot, url: "${crm.baseUrl}", auth: { type: token, token: "${crm.token}" } }
`;
  await writeFile(path('donor-sync.yaml'), settings);
  return { [Symbol.asyncDispose]: () => crm.close() };
}
