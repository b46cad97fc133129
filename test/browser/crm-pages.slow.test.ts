/**
 * Checks the set-up and the pages of clients that are connected to Salesforce and HubSpot. `every-page.slow.test.ts`
 * checks all pages, but its clients have a CRM in memory and a file.
 */
import { expect, it, onTestFinished } from 'vitest';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../../sandbox/salesforce/index.ts';
import { findSetup } from '../../src/clients/setup/draft.ts';
import { beginWithKey, post } from '../interfaces/api/setup-world.ts';
import { expectSound, openRooms } from './rooms.ts';

const rooms = openRooms();

/** Enough for a trial with introductions, and few enough to be read quickly. */
const FEW = { contacts: 30, donors: 40 };

/** Starts the stand-in of a CRM. Returns the answers to the set-up's first step. */
async function startCrm(kind: 'salesforce' | 'hubspot') {
  if (kind === 'hubspot') {
    const { baseUrl: url, token, close } = await startHubspotSandbox({ ...FEW, ratePer10s: 0 });
    onTestFinished(close);
    return { kind, url, token };
  }
  const crm = await startSalesforceSandbox(FEW);
  onTestFinished(crm.close);
  const { baseUrl: url, clientId, clientSecret } = crm;
  return { kind, way: 'clientCredentials', url, clientId, clientSecret };
}

const STEPS = ['crm', 'key', 'people', 'fields', 'networks', 'schedule', 'plan'];

const CLIENT_PAGES = ['', '/contacts', '/schedule', '/alerts', '/fields', '/webhooks', '/doctor'];

it.each(['salesforce', 'hubspot'] as const)(
  'the pages of a client with %s are sound at each width and in both themes',
  async (kind) => {
    const world = await rooms.openWorld({ setup: { serviceUrl: null, hosts: ['127.0.0.1:*'] } });
    const id = await beginWithKey(world);
    const connected = await post(world, `/setup/${id}/crm`, await startCrm(kind));
    expect(connected.location, connected.text).toContain(`/setup/${id}/crm`);
    await post(world, `/setup/${id}/people`, { contactMarks: 'none' });
    const view = await rooms.visit(world, `/setup/${id}/fields`);
    await view.page.getByRole('button', { name: 'Create them in the CRM' }).click();
    await view.page.getByText('The fields exist now').waitFor();
    await view.page.getByRole('button', { name: 'Save and continue' }).click();
    await view.page.waitForURL(`**/setup/${id}/networks`);
    await post(world, `/setup/${id}/networks`, {});
    await post(world, `/setup/${id}/schedule`, {
      ...{ rhythm: 'weekly', hour: '3', timezone: 'America/Chicago', perMonth: '900' },
    });
    const check = async (path: string) => {
      await view.page.goto(world.url + path);
      expect(new URL(view.page.url()).pathname, `${path} was left`).toBe(path);
      await expectSound(view).catch((error: Error) => {
        throw new Error(`${path}: ${error.message}`);
      });
    };
    for (const step of STEPS) await check(`/setup/${id}/${step}`);
    await post(world, `/setup/${id}/plan`, { do: 'trial' });
    const run = (await findSetup(world.application, id))?.trialRun ?? '';
    await world.untilEnded(run);
    await check(`/setup/${id}/plan`);
    expect(await view.page.locator('main').innerText()).toContain('What was written');
    await post(world, `/setup/${id}/plan`, { do: 'finish' });
    for (const page of CLIENT_PAGES) await check(`/clients/${id}${page}`);
    for (const page of [`/runs/${run}`, `/integrations/${id}/persons`]) await check(page);
  },
);
