import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listNetworkMembers } from '../../src/networks/statements/network-members.ts';
import { listNetworks } from '../../src/networks/statements/networks.ts';
import { listStrongestPaths } from '../../src/paths/statements/warm-paths.ts';
import { listAuditEntries } from '../../src/privacy/audit/read-audit.ts';
import { controlService } from '../helpers/service-control.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { findBarriers, openView, type View, type ViewOptions } from './browser.ts';
import { drawPicture, openLargePicture } from './large-picture.ts';
import { type NetworkHttpWorld, openNetworkWorld } from './network-world.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
let world: NetworkHttpWorld;
beforeAll(async () => {
  browser = await openBrowser();
  world = await openNetworkWorld();
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

async function open(path: string, options?: ViewOptions): Promise<View> {
  const view = await openView(browser, world.url, options);
  opened.push(view);
  await view.page.goto(world.url + path);
  return view;
}

async function openPicture(path = '/networks/riverside', options?: ViewOptions): Promise<View> {
  const view = await open(path, options);
  await view.page.locator('[data-drawn-ms]').waitFor();
  return view;
}

/** Runs a function in the page and returns its result. `picture` is the drawn network. */
async function inPicture<Value>(
  page: Page,
  schema: z.ZodType<Value>,
  script: string,
): Promise<Value> {
  const found = `(() => { const { picture } = document.querySelector('[data-picture]'); return ${script}; })()`;
  return schema.parse(await page.evaluate(found));
}

const EDGES = `picture.edges().not('.gone').map((edge) => edge.source().id() + ' ' + edge.target().id()).sort()`;

/** A script that returns the names in the picture that overlap a different name or a person. */
const LABELS_THAT_MEET = `(() => {
  const shown = picture.nodes().not('.gone').toArray();
  const named = shown.filter((node) => Number(node.style('text-opacity')) > 0);
  const parts = { includeEdges: false, includeOverlays: false };
  const label = (node) => node.boundingBox({ ...parts, includeNodes: false, includeLabels: true });
  const dot = (node) => node.boundingBox({ ...parts, includeNodes: true, includeLabels: false });
  // The library adds a margin of a few pixels to each box.
  const meets = (one, other) =>
    Math.min(one.x2, other.x2) - Math.max(one.x1, other.x1) > 4 &&
    Math.min(one.y2, other.y2) - Math.max(one.y1, other.y1) > 4;
  const found = [];
  for (const node of named) {
    for (const other of shown) {
      if (other === node) continue;
      if (meets(label(node), dot(other))) found.push(node.data('label') + ' covers the person ' + other.data('label'));
      if (named.includes(other) && meets(label(node), label(other))) found.push(node.data('label') + ' covers ' + other.data('label'));
    }
  }
  return found;
})()`;

const LABELLED_SHARE = `(() => {
  const shown = picture.nodes().not('.gone').toArray();
  return shown.filter((node) => Number(node.style('text-opacity')) > 0).length / shown.length;
})()`;

function edgesShown(page: Page): Promise<string[]> {
  return inPicture(page, z.array(z.string()), EDGES);
}

/** Returns the edges that the paged list shows, for comparison with the picture. */
async function edgesListed(page: Page, path: string): Promise<string[]> {
  const edges: string[] = [];
  await page.goto(world.url + path);
  for (;;) {
    edges.push(
      ...(await page
        .locator('[data-edge]')
        .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-edge') ?? ''))),
    );
    const more = page.getByRole('link', { name: 'More', exact: true });
    if ((await more.count()) === 0) return edges.sort();
    await more.click();
  }
}

/**
 * Returns the number of requests to each endpoint. Free requests that only check whether the service works are left
 * out.
 */
function askedOf({ service }: HttpWorld) {
  return controlService(service).requests();
}

async function namesShown(): Promise<number> {
  const { store } = world.application;
  return (await listAuditEntries(store, { action: 'names.shown', limit: 1_000 })).length;
}

function nameOf(crmId: string): string {
  const contact = world.crm.records.get(crmId)?.contact;
  return `${contact?.firstName} ${contact?.lastName}`;
}

async function firstPath() {
  const [path] = await listStrongestPaths(world.application.store.reader, 'riverside', 1);
  if (!path) throw new Error('There is no path');
  return path;
}

describe('the networks', () => {
  it('are listed with their members, and lead to their connections, asking the service nothing', async () => {
    const before = await askedOf(world);
    const { page, complaints } = await open('/networks');
    const row = page.getByRole('row', { name: /Board/ });
    expect(await row.innerText()).toMatch(/Board\s+.*\s+12\s/);
    await page.getByRole('link', { name: 'Connections at Riverside Food Bank' }).click();
    await page.locator('[data-drawn-ms]').waitFor();
    expect((await edgesShown(page)).length).toBeGreaterThan(10);
    expect(await askedOf(world)).toEqual(before);
    expect(complaints).toEqual([]);
  });

  it('show the same edges in the picture and in the list, also above a strength', async () => {
    const { page, complaints } = await openPicture();
    const all = await edgesShown(page);
    await page.getByRole('slider').fill('90');
    const strong = await edgesShown(page);
    expect(strong.length).toBeGreaterThan(0);
    expect(strong.length).toBeLessThan(all.length);
    await page.getByRole('heading', { name: `${strong.length} connections` }).waitFor();
    expect(await edgesListed(page, '/networks/riverside?weakest=90')).toEqual(strong);
    expect(await edgesListed(page, '/networks/riverside?sort=contact')).toEqual(all);
    expect(complaints).toEqual([]);
  });

  it('have no names in the picture that cover each other or another person', async () => {
    const { page } = await openPicture();
    await page.locator('#paths .contact-name').first().waitFor();
    const overlaps = await inPicture(page, z.array(z.string()), LABELS_THAT_MEET);
    expect(overlaps).toEqual([]);
    const labelled = await inPicture(page, z.number(), LABELLED_SHARE);
    expect(labelled).toBeGreaterThan(0.8);
  });

  it.each(['the picture is refused', 'the library is missing'])(
    'say that the picture could not be drawn if %s, and list the connections',
    async (what) => {
      const view = await openView(browser, world.url);
      opened.push(view);
      const { page } = view;
      const path = what === 'the library is missing' ? '**/assets/cytoscape.js*' : '**/picture*';
      await page.route(path, (route) => route.fulfill({ status: 503, body: '' }));
      await page.goto(`${world.url}/networks/riverside`);
      await page.getByText('The picture could not be drawn.').waitFor();
      expect(await page.locator('#paths tbody tr').count()).toBeGreaterThan(10);
      expect(await page.getByRole('button', { name: 'Zoom in' }).isVisible()).toBe(false);
      expect(await findBarriers(page)).toEqual([]);
    },
  );

  it('say in a sentence who can introduce a contact that is clicked, with names for who decides', async () => {
    const { crmId, donorId, introducerId } = await firstPath();
    const { page, complaints } = await openPicture();
    const sent = (await world.request('/networks/riverside')).text;
    expect(sent).not.toContain(nameOf(crmId));
    await page.locator('#paths .contact-name').first().waitFor();
    const shown = await namesShown();
    await inPicture(page, z.null(), `(picture.getElementById('${donorId}').emit('tap'), null)`);
    await page.getByRole('heading', { level: 2, name: nameOf(crmId) }).waitFor();
    const written = world.crm.valueOf(crmId, 'Warm Path');
    await page.getByText(String(written)).waitFor();
    await page
      .locator('.sentences')
      .getByText(`can introduce ${nameOf(crmId).split(' ')[0]}`)
      .first()
      .waitFor();
    expect(await namesShown()).toBe(shown + 1);
    const marked = await inPicture(
      page,
      z.array(z.string()),
      `picture.nodes().not('.faint').map((node) => node.id())`,
    );
    expect(marked).toEqual(expect.arrayContaining([donorId, introducerId]));

    await page.getByRole('link', { name: 'Show all names' }).click();
    await page
      .getByRole('rowheader', { name: nameOf(crmId) })
      .first()
      .waitFor();
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    expect(world.logLines.join('')).not.toContain(nameOf(crmId));
    expect(complaints).toEqual([]);
  });

  it('are sorted with the keyboard, and the focus stays in the header', async () => {
    const { page, complaints } = await openPicture();
    const header = page.getByRole('columnheader', { name: 'Contact' });
    await header.getByRole('link').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('ascending');
    expect(
      await header.getByRole('link').evaluate((link) => link === link.ownerDocument.activeElement),
    ).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('answer who knows a person without JavaScript, sorted and above a strength', async () => {
    const { crmId } = await firstPath();
    const { page } = await open('/networks/riverside', { javaScriptEnabled: false });
    await page.getByLabel('Who knows').fill(crmId);
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByRole('heading', { level: 2, name: nameOf(crmId) }).waitFor();
    const contacts = await page.locator('#paths tbody th').allInnerTexts();
    expect(contacts.length).toBeGreaterThan(0);
    await page.goto(`${world.url}/networks/riverside`);
    await page.getByRole('link', { name: 'Contact', exact: true }).click();
    const sorted = await page.locator('#paths tbody th').allInnerTexts();
    expect(sorted).toEqual(sorted.toSorted());
    await page.getByRole('slider').focus();
    await page.keyboard.press('End');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    expect(new URL(page.url()).searchParams.get('weakest')).toBe('100');
  });

  it('are checked at the service, and repaired for the price that was shown', async () => {
    const here = await openNetworkWorld();
    opened.push({ close: () => here.close() });
    const [network] = await listNetworks(here.application.store.reader, 'riverside');
    const [member] = await listNetworkMembers(here.application.store.reader, network?.id ?? '');
    const gone = await fetch(
      `${here.service.baseUrl}/networks/${network?.networkId}/members/remove`,
      {
        method: 'POST',
        headers: { 'x-api-key': here.service.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ donor_ids: [member?.donorId] }),
      },
    );
    expect(gone.ok).toBe(true);
    const view = await openView(browser, here.url);
    opened.push(view);
    const { page, complaints } = view;
    await page.goto(`${here.url}/networks`);
    await page.getByRole('button', { name: 'Compare with the service' }).click();
    await page.getByText(/removed by hand: .*\(donor [0-9a-f]+\)/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Repair (at most 1 credit)' }).click();
    await page.getByRole('button', { name: 'Repair, for at most 1 credit' }).click();
    await expect
      .poll(async () => {
        await page.goto(`${here.url}/networks`);
        return page.getByText('The repair added 1 member, removed 0, and 0 failed.').count();
      })
      .toBe(1);
    expect(complaints).toEqual([]);
  });

  it('are a CSV file of ids', async () => {
    const { crmId, donorId } = await firstPath();
    const { text, headers } = await world.request('/networks/riverside/paths.csv?weakest=60');
    expect(headers.get('content-type')).toContain('text/csv');
    const [head, ...lines] = text.trim().split('\n');
    expect(head).toBe('Contact,Donor ID,Strength,Introducer,Introducer Donor ID,Network');
    expect(lines.some((line) => line.startsWith(`${crmId},${donorId},`))).toBe(true);
    expect(text).not.toContain(nameOf(crmId));
  });

  it('name people who are not in the CRM in a file, by a button that says its price', async () => {
    const { page } = await openPicture();
    await page.locator('#paths .contact-name').first().waitFor();
    const shown = await namesShown();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Prospects as CSV (at most 1 credit)' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('prospects-riverside.csv');
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toMatch(/^Donor ID,Name,Strength,/);
    expect(await namesShown()).toBe(shown + 1);
  });

  it('lead to a contact by its name, which no address has', async () => {
    const { crmId } = await firstPath();
    const name = nameOf(crmId);
    const { page, complaints } = await open('/networks/riverside');
    const addresses: string[] = [];
    page.on('request', (request) => void addresses.push(request.url()));
    await page.keyboard.press('Control+k');
    await page.keyboard.type(name);
    await page.getByRole('option', { name }).first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(page.url()).toBe(`${world.url}/clients/riverside/contacts/${crmId}`);
    const [first = '', last = ''] = name.split(' ');
    const typed = addresses.filter((address) => address.includes(first) || address.includes(last));
    expect(addresses.length).toBeGreaterThan(2);
    expect(typed).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['on a desk', { width: 1440 }],
    ['on a desk in the dark', { width: 1440, colorScheme: 'dark' }],
    ['on a tablet', { width: 768 }],
    ['on a phone in the dark', { width: 375, height: 740, colorScheme: 'dark' }],
  ] satisfies [string, ViewOptions][])('have no barriers %s', async (_, options) => {
    const { crmId } = await firstPath();
    const { page, complaints } = await open('/networks', options);
    for (const path of [
      '/networks',
      '/networks/riverside',
      `/networks/riverside?who=${crmId}&names=1`,
      `/clients/riverside/contacts/${crmId}`,
    ]) {
      await page.goto(world.url + path);
      if (path.startsWith('/networks/')) await page.locator('[data-drawn-ms]').waitFor();
      expect(await findBarriers(page), path).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBe(
        0,
      );
    }
    expect(complaints).toEqual([]);
  });
});

describe('members whose contacts wait for a decision', () => {
  it('are counted with a link to the decision, instead of seeming to know nobody', async () => {
    const held = await openNetworkWorld();
    opened.push(held);
    for (const { contact } of held.crm.records.values()) {
      held.crm.editContact(contact.id, { addresses: [`${contact.lastName} Quarry Lane, Reno`] });
    }
    const { runId } = await held.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await held.untilEnded(runId);
    const view = await openView(browser, held.url);
    opened.push(view);
    const { page, complaints } = view;
    await page.goto(`${held.url}/networks`);
    await page
      .getByText('The members of these networks cannot introduce any contact yet.')
      .waitFor();
    await page.getByText('Until then, these members introduce nobody.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page
      .getByRole('link', { name: '12 contacts of the group Board wait for a decision.' })
      .click();
    await page.waitForURL(`${held.url}/decisions?client=riverside`);
    expect(complaints).toEqual([]);
  });
});

describe('a picture', () => {
  it.each([
    { people: 200, paths: 600 },
    { people: 2_000, paths: 6_000 },
  ])('of $people people and $paths connections is always laid out the same', async (size) => {
    const drawn: unknown[] = [];
    for (const _ of ['once', 'again']) {
      const url = `${world.url}/networks/riverside`;
      const view = await openLargePicture(browser, url, size);
      await drawPicture(view, url);
      const positions = await inPicture(
        view.page,
        z.array(z.object({ x: z.number(), y: z.number() })),
        'picture.nodes().map((node) => node.position())',
      );
      expect(positions).toHaveLength(size.people);
      drawn.push(positions);
      await view.close();
    }
    expect(drawn[0]).toEqual(drawn[1]);
  });
});
