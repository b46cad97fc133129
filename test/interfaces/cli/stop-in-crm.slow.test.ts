/** Tests a process that receives a stop signal while a vendor's library waits for a CRM that does not respond. */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { EXIT_CODES } from '../../../src/interfaces/cli/terminal/output.ts';
import { sandboxControl } from '../../connectors/crm-sandbox.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { runsSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

/** The delay is so long that only the stop can have ended the process. */
const LONG_MS = 600_000;

/** The time limit that the guides promise. */
const STOP_LIMIT_MS = 10_000;

const PEOPLE = { contacts: 12, donors: 500 };

interface Crm {
  rootUrl: string;
  /** The `crm` settings. */
  settings: string;
}

async function openSalesforce(): Promise<Crm> {
  const { rootUrl, baseUrl, clientId, clientSecret, close } = await startSalesforceSandbox(PEOPLE);
  onTestFinished(() => close());
  const auth = `{ type: clientCredentials, clientId: "${clientId}", clientSecret: "${clientSecret}" }`;
  return { rootUrl, settings: `{ kind: salesforce, url: "${baseUrl}", auth: ${auth} }` };
}

async function openHubspot(): Promise<Crm> {
  const { rootUrl, baseUrl, token, close } = await startHubspotSandbox(PEOPLE);
  onTestFinished(() => close());
  return {
    rootUrl,
    settings: `{ kind: hubspot, url: "${baseUrl}", auth: { type: token, token: "${token}" } }`,
  };
}

async function connect(crm: Crm): Promise<CliWorld> {
  const world = await open({ people: 0 });
  const settings = `database: "sqlite:store.db"
integrations:
  - id: riverside
    partner: { baseUrl: "${world.service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: ${crm.settings}
    settleAfterMs: 200
`;
  await writeFile(world.path('donor-sync.yaml'), settings);
  await world.run(['fields', 'create']);
  return world;
}

describe('SIGTERM while a CRM does not answer', () => {
  it.each([
    ['signs in', 'Salesforce', openSalesforce, '*/oauth2/token'],
    ['describes its fields', 'Salesforce', openSalesforce, '*/describe'],
    ['reads', 'Salesforce', openSalesforce, '*/query*'],
    ['writes', 'Salesforce', openSalesforce, '*/composite*'],
    ['describes its fields', 'HubSpot', openHubspot, '*/properties/*'],
    ['reads', 'HubSpot', openHubspot, '*/contacts*'],
    ['writes', 'HubSpot', openHubspot, '*/batch/update'],
  ] as const)(
    'ends a sync that %s in %s, and the next one pays for nobody twice',
    async (_, __, openCrm, path) => {
      const crm = await openCrm();
      const world = await connect(crm);
      const { control } = sandboxControl(crm.rootUrl);
      await control('PUT', 'faults', [{ on: { path }, fault: { kind: 'slow', delayMs: LONG_MS } }]);
      const { child, ended } = await world.start(['sync']);
      const before = await world.spent();
      await expect.poll(() => control('GET', 'faults')).not.toEqual({ strikes: [0] });
      child.kill('SIGTERM');
      const limit = new AbortController();
      const stopped = await Promise.race([
        ended,
        sleep(STOP_LIMIT_MS, null, { signal: limit.signal }).catch(() => null),
      ]);
      limit.abort();
      expect(stopped?.exitCode).toBe(EXIT_CODES.stopped);
      await control('PUT', 'faults', []);
      const { runs } = await world.runJson(['sync'], runsSchema);
      expect(runs).toMatchObject([{ status: 'succeeded' }]);
      expect(await world.spent()).toBe(before + PEOPLE.contacts);
    },
  );
});
