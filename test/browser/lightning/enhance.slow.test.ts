/**
 * Tests the button "Enhance now" in a real browser. A user of the org presses the button on a contact. The screen flow
 * then calls donor-sync through the named credential. A run buys the profile, and the section shows it.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { salesforceConnector } from '../../../connectors/salesforce/connector.ts';
import { fieldsProject } from '../../../connectors/salesforce/project/project.ts';
import { DEFAULT_API_VERSION } from '../../../connectors/salesforce/settings.ts';
import { startLightning } from '../../../sandbox/salesforce/lightning/lightning.ts';
import { addDoorToken } from '../../../src/clients/statements/door-tokens.ts';
import { doorAddress } from '../../../src/core/token-door.ts';
import { toFieldSpecs } from '../../../src/fields/describe.ts';
import { hashToken, newDoorToken } from '../../../src/people/access-token.ts';
import { listRunRequests } from '../../../src/sync/statements/run-requests.ts';
import { openOrg } from '../../connectors/salesforce/org.ts';
import { controlService } from '../../helpers/service-control.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { openHttpWorld } from '../../interfaces/api/http-world.ts';
import { openView } from '../browser.ts';
import { openBrowser } from '../open-browser.ts';
import { compileComponents } from './compile.ts';

const SPECS = toFieldSpecs(salesforceConnector.defaultFields);
const CLIENT = 'hillside';
const PERMISSION_SET = 'donor_sync_enhancers';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

interface Choices {
  perDay?: number;
  permissionSets?: readonly string[];
  /** True if the user's profile has permission to run all flows. The default is false. */
  runsFlows?: boolean;
  /** The access token that the administrator entered. The default is the client's token. */
  token?: string;
  /** The number of "Enhance" calls whose responses are lost after donor-sync has sent them. */
  lostResponses?: number;
  /** The number of people on the board. The campaign of the board is a network in donor-sync. */
  board?: number;
}

const runSchema = z.object({ run: z.object({ id: z.string() }) });

/** The number of donors. With few donors and few organizations, many donors are connected to each other. */
const DONORS = 80;

/** The number of contacts that are added to the org after its first sync. */
const NEWCOMERS = 6;

const OF_BOARD = {
  ...WITHOUT_TRIAL,
  networks: [{ name: 'Board', color: 'teal', group: { campaign: 'Board' } }],
};

/** Opens a client whose Salesforce org has synced once, and then adds new contacts to the org. */
async function openWorld(choices: Choices = {}) {
  const { board = 0 } = choices;
  const org = await openOrg();
  onTestFinished(() => org.sandbox.close());
  await (await org.connector()).createFields(SPECS);
  const { baseUrl, token: orgToken } = org.sandbox;
  const world = await openHttpWorld({
    isPublic: true,
    others: [CLIENT],
    other: {
      crm: { kind: 'salesforce', url: baseUrl, auth: { type: 'token', token: orgToken } },
      ...(board > 0 && OF_BOARD),
    },
    service: { donors: DONORS, networkJobTimeMs: 0 },
  });
  onTestFinished(() => world.close());
  const service = controlService(world.service);
  const people = await service.people(board + NEWCOMERS);
  const add = (from: number, to: number) =>
    org.addContacts(
      people.slice(from, to).map(({ firstName, lastName, addresses, employers }) => ({
        ...{ firstName: firstName ?? '', lastName: lastName ?? '', addresses, employers },
      })),
    );
  if (board > 0) {
    const [campaign] = await org.create('Campaign', [{ Name: 'Board' }]);
    const members = await add(0, board);
    await org.create(
      'CampaignMember',
      members.map((ContactId) => ({ CampaignId: campaign, ContactId })),
    );
  }
  const started = await world.request(`/v1/integrations/${CLIENT}/runs`, {
    method: 'POST',
    token: await world.addToken('admin'),
  });
  await world.untilEnded(started.read(runSchema).run.id);
  const contacts = await add(board, board + NEWCOMERS);
  const token = newDoorToken();
  await world.application.store.act((trx) =>
    addDoorToken(trx, {
      ...{ id: 'door', name: 'Salesforce', integrationId: CLIENT },
      ...{ perDay: choices.perDay ?? 100, hash: hashToken(token) },
    }),
  );
  const gateway = await openGateway(world.url, choices.lostResponses ?? 0);
  const { files: project } = fieldsProject(
    { apiVersion: DEFAULT_API_VERSION },
    SPECS,
    doorAddress(gateway, CLIENT),
  );
  const lightning = await startLightning({
    org: { baseUrl, token: orgToken },
    project,
    modules: compileComponents(project),
    credentials: {
      parameters: { token: choices.token ?? token },
      permissionSets: choices.permissionSets ?? [PERMISSION_SET],
      runsFlows: choices.runsFlows ?? false,
    },
  });
  onTestFinished(() => lightning.close());
  async function openRecord(contact: string): Promise<Page> {
    const view = await openView(browser, lightning.url);
    onTestFinished(() => view.close());
    await view.page.goto(`${lightning.url}/lightning/r/Contact/${contact}/view`);
    await view.page.locator('body[data-ready]').waitFor();
    return view.page;
  }
  const [first = '', second = ''] = contacts;
  return { world, service, org, openRecord, contacts, first, second };
}

/** Starts a proxy that forwards requests to donor-sync. The proxy loses the responses to the first "Enhance" calls. */
async function openGateway(target: string, lost: number): Promise<string> {
  let left = lost;
  const server: Server = createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const authorization = headers.authorization ?? '';
    fetch(target + url, { method, headers: { authorization } })
      .then(async (answer) => {
        const text = await answer.text();
        const isLost = method === 'POST' && left > 0;
        if (isLost) left -= 1;
        response.writeHead(isLost ? 502 : answer.status, { 'content-type': 'application/json' });
        response.end(isLost ? 'Bad gateway' : text);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const dialog = (page: Page) => page.getByRole('dialog');

async function pressEnhance(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Enhance now' }).click();
  await dialog(page).getByRole('button', { name: 'Enhance: 1 credit' }).click();
}

/** Waits until no run is requested or in progress. */
async function untilIdle({ application }: Awaited<ReturnType<typeof openHttpWorld>>) {
  const { reader } = application.store;
  await expect
    .poll(async () => {
      const running = await reader
        .selectFrom('runs')
        .select('id')
        .where('status', '=', 'running')
        .execute();
      return running.length + (await listRunRequests(reader)).length;
    })
    .toBe(0);
}

async function refreshUntil(page: Page, text: RegExp): Promise<void> {
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      // The components use shadow trees, and only locators can read their content.
      return (await page.locator('dl > div').allTextContents()).join(' ');
    })
    .toMatch(text);
}

describe('a Salesforce user on the page of a contact', () => {
  it('enhances the contact for one credit, and reads its profile there', async () => {
    const { world, service, openRecord, first } = await openWorld();
    const page = await openRecord(first);
    await page.getByText('There is no donor profile yet').waitFor();
    await page.getByRole('button', { name: 'Enhance now' }).click();
    await dialog(page).getByText('No run has read this contact yet.').waitFor();
    const link = dialog(page).getByRole('link', { name: 'Open in donor-sync' });
    expect(await link.getAttribute('href')).toBe(
      `${world.url}/clients/${CLIENT}/contacts/${first}`,
    );
    expect(await service.spent()).toBe(0);
    await dialog(page).getByRole('button', { name: 'Enhance: 1 credit' }).click();
    await dialog(page).getByText('donor-sync enhances this contact now').waitFor();
    await dialog(page)
      .getByText(/enhanced from Salesforce today: 99/)
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await refreshUntil(page, /Donor ID.*Donor Net Worth/);
    expect(await service.spent()).toBe(1);
  });

  it('reads there who can introduce the contact, once it is enhanced', async () => {
    const { world, service, openRecord, contacts } = await openWorld({ board: 12 });
    const before = await service.spent();
    let enhanced = 0;
    let introduction = '';
    for (const contact of contacts) {
      const page = await openRecord(contact);
      await pressEnhance(page);
      await dialog(page).getByRole('button', { name: 'Close' }).click();
      enhanced += 1;
      await refreshUntil(page, /Donor ID/);
      // The run writes the introduction after it has written the profile.
      await untilIdle(world);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await refreshUntil(page, /Donor ID/);
      introduction = (await page.locator('dl > div').allTextContents())[0]?.trim() ?? '';
      if (introduction.startsWith('Warm Path')) break;
    }
    expect(introduction).toMatch(/^Warm Path\S.*\./);
    expect((await service.spent()) - before).toBe(enhanced);
  });

  it('pays once if the response is lost and the user presses the button again', async () => {
    const { world, service, openRecord, first } = await openWorld({ lostResponses: 1 });
    const page = await openRecord(first);
    await pressEnhance(page);
    await dialog(page).getByText('502 Bad gateway').waitFor();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await refreshUntil(page, /Donor ID/);
    await pressEnhance(page);
    await dialog(page).getByText('donor-sync enhances this contact now').waitFor();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await expect
      .poll(() => listRunRequests(world.application.store.reader).then((waiting) => waiting.length))
      .toBe(0);
    expect(await service.spent()).toBe(1);
  });

  it('is told the limit of the day, and nothing more is bought', async () => {
    const { service, openRecord, first, second } = await openWorld({ perDay: 1 });
    const page = await openRecord(first);
    await pressEnhance(page);
    await dialog(page)
      .getByText(/enhanced from Salesforce today: 0/)
      .waitFor();
    const other = await openRecord(second);
    await pressEnhance(other);
    await dialog(other)
      .getByText(/limit of 1 contact a day has been reached/)
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await refreshUntil(page, /Donor ID/);
    expect(await service.spent()).toBe(1);
  });

  it('do not see the button without the permission set, if their profile may not run all flows', async () => {
    const without = await openWorld({ permissionSets: [] });
    const page = await without.openRecord(without.first);
    await page.getByRole('toolbar', { name: 'Actions' }).waitFor({ state: 'attached' });
    expect(await page.getByRole('button', { name: 'Enhance now' }).count()).toBe(0);
  });

  it('cannot enhance without the permission set, or with a token that was not entered', async () => {
    const without = await openWorld({ permissionSets: [], runsFlows: true });
    const page = await without.openRecord(without.first);
    await page.getByRole('button', { name: 'Enhance now' }).click();
    await dialog(page).getByText("We couldn't access the credential(s).").waitFor();
    const unset = await openWorld({ token: '' });
    const other = await unset.openRecord(unset.first);
    await other.getByRole('button', { name: 'Enhance now' }).click();
    await dialog(other)
      .getByText(/401.*door_token_unknown/)
      .waitFor();
    expect(await without.service.spent()).toBe(0);
    expect(await unset.service.spent()).toBe(0);
  });
});
