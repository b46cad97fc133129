import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import { findSetup } from '../../src/application/setup/draft.ts';
import { createBrowser } from '../helpers/browser.ts';
import { controlService } from '../helpers/service-control.ts';
import type { HttpWorld } from './http-world.ts';
import { startCrm } from './oauth-world.ts';
import { begin, openLocal, post, spentBy, withFile } from './setup-world.ts';

describe('the key of the service', () => {
  it('is tested for nothing, kept sealed, and never shown again', async () => {
    const here = await openLocal();
    const id = await withFile(here);
    const page = await here.request(`/setup/${id}/key`);
    expect(page.text).toContain('The service knows this key');
    for (const path of [`/setup/${id}/key`, `/setup/${id}/schedule`, '/setup', '/v1/audit']) {
      expect((await here.request(path)).text, path).not.toContain(here.service.apiKey);
    }
    for (const name of await readdir(here.folder)) {
      const path = join(here.folder, name);
      if (!(await stat(path)).isFile()) continue;
      expect((await readFile(path)).includes(here.service.apiKey), name).toBe(false);
    }
    expect(here.logLines.join('\n')).not.toContain(here.service.apiKey);
    expect(await spentBy(here)).toBe(0);
  });

  it('is refused in words where the service does not know it, and not kept', async () => {
    const here = await openLocal();
    const id = await begin(here);
    const { baseUrl } = here.service;
    const refused = await post(here, `/setup/${id}/key`, { baseUrl, apiKey: 'pk_wrong_one' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('data-problem');
    expect(refused.text).not.toContain('pk_wrong_one');
    expect((await findSetup(here.application, id))?.answers.partner).toBeUndefined();
  });

  it('is asked for again where the address leads elsewhere', async () => {
    const here = await openLocal();
    const id = await withFile(here);
    const other = await openLocal();
    const refused = await post(here, `/setup/${id}/key`, {
      baseUrl: other.service.baseUrl,
      apiKey: '',
    });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('asked for again');
    const asked = await controlService(other.service).requests();
    expect(asked).toEqual([]);
  });
});

describe('the consent of a user', () => {
  it('comes back to the set-up, from Salesforce as from HubSpot', async () => {
    for (const kind of ['salesforce', 'hubspot'] as const) {
      const { here, id, page } = await consent(kind);
      expect(page.status, kind).toBe(200);
      expect(page.url.pathname, kind).toBe(`/setup/${id}/crm`);
      expect(page.text, kind).toContain('Connected to');
      const reply = await here.request(`/v1/setups/${id}`);
      expect(JSON.parse(reply.text).setup, kind).toMatchObject({
        done: ['crm'],
        next: 'key',
        crm: kind,
      });
    }
  });

  it('is not taken for another account than the one the contacts came from', async () => {
    const { page } = await consent('salesforce', async ({ application: { store } }, id) => {
      const attempt = await store.leases.acquire(id, 'test', () => true);
      if (!attempt.acquired) throw new Error('the lease is taken');
      await store.integrations.pinAccount(
        attempt.lease,
        store.fingerprint('crm_account', 'another'),
      );
      await store.leases.release(attempt.lease);
    });
    expect(page.status).toBe(400);
    expect(page.text).toContain('belongs to another account');
    expect(page.text).toContain('Back to the set-up');
  });

  /** Goes to the CRM and back, as a user who allows it. */
  async function consent(
    kind: 'salesforce' | 'hubspot',
    before: (here: HttpWorld, id: string) => Promise<void> = async () => {},
  ) {
    const here = await openLocal({ isPublic: true });
    const crm = await startCrm(kind);
    onTestFinished(crm.close);
    const id = await begin(here);
    await before(here, id);
    const { baseUrl: url, clientId, clientSecret } = crm;
    const sent = await post(here, `/setup/${id}/crm`, { kind, url, clientId, clientSecret });
    expect(sent.location).toBe(`/setup/${id}/leave`);
    const leave = await here.request(`/setup/${id}/leave`);
    const start = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(leave.text)?.[1] ?? '';
    const browser = createBrowser({ [here.url.replace('127.0.0.1', 'localhost')]: here.url });
    const asked = await browser.open(here.url + start);
    return { here, id, page: await browser.decide(asked, 'allow') };
  }
});

describe('a service key of HubSpot', () => {
  it('connects without a page of the CRM, once it was tried', async () => {
    const here = await openLocal();
    const crm = await startHubspotSandbox({ contacts: 3, donors: 10, ratePer10s: 0 });
    onTestFinished(crm.close);
    const id = await begin(here);
    const app = { kind: 'hubspot', url: crm.baseUrl };
    const wrong = await post(here, `/setup/${id}/crm`, { ...app, token: 'pat-na1-wrong' });
    expect(wrong.status).toBe(422);
    expect((await findSetup(here.application, id))?.answers.crm).toBeUndefined();
    const right = await post(here, `/setup/${id}/crm`, { ...app, token: crm.token });
    expect(right.location).toBe(`/setup/${id}/crm?note=connected`);
    const page = await here.request(`/setup/${id}/crm`);
    expect(page.text).toContain(`Connected to`);
    expect(page.text).not.toContain(crm.token);
  });
});
