import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { findRunById, listRunRecords } from '../../src/sync/statements/runs.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { controlService } from '../helpers/service-control.ts';
import { type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';
import { findBarriers, openView } from './browser.ts';
import { openBrowser } from './open-browser.ts';

const PATH = '/integrations/riverside/persons';
const ACCEPT = '/integrations/riverside/accept-match-rate';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const open = closedAfterTest(openHttpWorld);

/** Opens a client whose first and last names are read from the same column, with a mark in each name. */
async function openWithWrongColumn(people: number): Promise<HttpWorld> {
  const world = await open();
  for (const id of await world.addPeople(people)) {
    const contact = world.crm.records.get(id)?.contact;
    const whole = `Zyxmark${contact?.lastName}, ${contact?.firstName}`;
    world.crm.editContact(id, { firstName: whole, lastName: whole });
  }
  return world;
}

async function sync({ runner, untilEnded }: HttpWorld): Promise<string> {
  const { runId } = await runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await untilEnded(runId);
  return runId;
}

/** Sends the form of a button on one of our pages. */
function press(here: HttpWorld, path: string, headers: Record<string, string> = {}) {
  const type = 'application/x-www-form-urlencoded';
  return fetch(here.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: here.url, 'content-type': type, ...headers },
  });
}

const spentBy = ({ service }: HttpWorld) => controlService(service).spent();

describe('the page of persons', () => {
  it('shows five persons as they would be sent, read from the CRM for this answer', async () => {
    const here = await open();
    const [id = ''] = await here.addPeople(40);
    const before = await here.request(PATH);
    expect(before.status).toBe(200);
    expect(before.headers.get('cache-control')).toBe('no-store');
    expect(before.text.match(/<th scope="row">/g)).toHaveLength(5);
    expect(await spentBy(here)).toBe(0);
    for (const other of here.crm.records.keys()) if (other !== id) here.crm.deleteContact(other);
    here.crm.editContact(id, { firstName: 'Ada <b>', lastName: 'Vale', employers: ['Acme'] });
    const after = await here.request(PATH);
    expect(after.text).toContain('<th scope="row">Ada &lt;b&gt;</th>');
    expect(after.text).toContain('Acme');
  });

  it('is for admins alone', async () => {
    const here = await open();
    await here.addPeople(5);
    const viewer = await here.addToken('viewer');
    const admin = await here.addToken('admin');
    const stranger = await fetch(here.url + PATH, { redirect: 'manual' });
    expect(stranger.headers.get('location')).toBe(`/sign-in?to=${encodeURIComponent(PATH)}`);
    expect((await here.request(PATH, { token: viewer })).status).toBe(403);
    expect((await here.request(PATH, { token: admin })).status).toBe(200);
    expect((await here.request('/integrations/none/persons', { token: admin })).status).toBe(404);
    const links = async (token: string) =>
      (await here.request('/clients/riverside', { token })).text.includes(PATH);
    expect([await links(viewer), await links(admin)]).toEqual([false, true]);
  });

  it('leaves no name anywhere else', async () => {
    const here = await openWithWrongColumn(40);
    const runId = await sync(here);
    expect((await here.request(PATH)).text).toContain('Zyxmark');
    for (const path of ['/', `/runs/${runId}`, '/v1/runs', '/v1/integrations', '/metrics']) {
      expect((await here.request(path)).text, path).not.toContain('Zyxmark');
    }
    expect(here.logLines.join('\n')).not.toContain('Zyxmark');
    for (const name of await readdir(here.folder)) {
      const content = await readFile(join(here.folder, name));
      expect(content.includes('Zyxmark'), name).toBe(false);
    }
  });
});

describe('a match rate that is too low', () => {
  it('is accepted with a button, by an admin on a page of ours, and the contacts are sent', async () => {
    const here = await openWithWrongColumn(60);
    const runId = await sync(here);
    expect(await spentBy(here)).toBe(25);
    for (const path of ['/clients/riverside', PATH, `/runs/${runId}`]) {
      expect((await here.request(path)).text, path).toContain(`action="${ACCEPT}"`);
    }
    const foreign = await press(here, ACCEPT, { origin: 'https://elsewhere.example' });
    expect(foreign.status).toBe(403);
    const accepted = await press(here, ACCEPT);
    expect(accepted.status).toBe(303);
    expect(accepted.headers.get('location')).toBe('/clients/riverside?note=accepted');
    await expect.poll(() => spentBy(here)).toBeGreaterThan(50);
    const lastRun = async () =>
      (
        await listRunRecords(here.application.store.reader, {
          integrationId: 'riverside',
          limit: 1,
        })
      )[0]?.status;
    await expect.poll(lastRun).toBe('succeeded');
    for (const path of ['/clients/riverside', PATH, `/runs/${runId}`]) {
      expect((await here.request(path)).text, path).not.toContain(`action="${ACCEPT}"`);
    }
  });

  it('is not offered to viewers, who cannot accept it either', async () => {
    const here = await openWithWrongColumn(30);
    await sync(here);
    const token = await here.addToken('viewer');
    expect((await here.request('/clients/riverside', { token })).text).not.toContain(ACCEPT);
    const refused = await press(here, ACCEPT, { authorization: `Bearer ${token}` });
    expect(refused.status).toBe(403);
    await sync(here);
    expect(await spentBy(here)).toBe(25);
  });

  it('is accepted over the API with the run that goes on', async () => {
    const here = await openWithWrongColumn(60);
    await sync(here);
    const answer = await here.request('/v1/integrations/riverside/runs', {
      method: 'POST',
      body: { acceptMatchRate: true },
    });
    expect(answer.status).toBe(202);
    const { run, joined } = answer.read(startedSchema);
    expect(joined).toBeNull();
    await here.untilEnded(run.id);
    expect((await findRunById(here.application.store.reader, run.id))?.status).toBe('succeeded');
    expect(await spentBy(here)).toBeGreaterThan(50);
  });

  it('is seen and accepted in a browser', async () => {
    const here = await openWithWrongColumn(30);
    await sync(here);
    const view = await openView(browser, here.url);
    onTestFinished(view.close);
    const { page, complaints } = view;
    await page.goto(`${here.url}/clients/riverside`);
    await page.getByRole('link', { name: 'See what is sent' }).click();
    await page
      .getByRole('heading', { name: 'Data that is sent for Riverside Food Bank' })
      .waitFor();
    await page.getByText('The first and last names are the same').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Accept this rate' }).click();
    await page.getByRole('button', { name: 'Accept and sync' }).click();
    await page.getByText('Accepted. A sync starts in a moment').waitFor();
    expect(complaints).toEqual([]);
  });
});

const startedSchema = z.object({
  run: z.object({ id: z.string() }),
  joined: z.string().nullable(),
});
