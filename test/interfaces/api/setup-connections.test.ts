import { readdir, readFile, stat } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import { findSetup } from '../../../src/clients/setup/draft.ts';
import { pinCrmAccount } from '../../../src/clients/statements/integrations.ts';
import { createBrowser } from '../../helpers/browser.ts';
import { controlService } from '../../helpers/service-control.ts';
import type { HttpWorld } from './http-world.ts';
import { startCrm } from './oauth-world.ts';
import {
  begin,
  done,
  open,
  openLocal,
  post,
  spentBy,
  storedSettings,
  withFile,
} from './setup-world.ts';

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
    expect(refused.text).toContain('enter its key again');
    const asked = await controlService(other.service).requests();
    expect(asked).toEqual([]);
  });
});

describe('an address that was set in a browser', () => {
  it('reaches nothing inside the network when its name leads there later', async () => {
    // A malicious DNS resolver returns a public address while the form is checked. It returns this machine's address
    // when the request is sent.
    const answers = ['93.184.216.34'];
    const lookup: LookupFunction = (_, __, answer) =>
      answer(null, [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]);
    const here = await open({ neighbours: { lookup } });
    const id = await begin(here);
    const { port } = new URL(here.service.baseUrl);
    const baseUrl = `https://rebind.example.org:${port}`;
    const reply = await post(here, `/setup/${id}/key`, { baseUrl, apiKey: 'pk_any' });
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('No request was sent to rebind.example.org');
    expect(await controlService(here.service).requests()).toEqual([]);
    expect((await findSetup(here.application, id))?.answers.partner).toBeUndefined();
  });

  it('keeps the client to public addresses from then on, and to those that the operator has named', async () => {
    const here = await openLocal();
    const id = await done(here);
    expect(await storedSettings(here, id)).toMatchObject({ addresses: 'public' });
    const stored = here.application.integrations.get(id);
    if (stored === undefined) throw new Error('the client is not stored');
    const client = await here.application.open(
      { ...stored, partner: { ...stored.partner, baseUrl: 'https://10.0.0.7' } },
      new AbortController().signal,
    );
    await expect(client.partner.readCredits()).rejects.toMatchObject({ code: 'address_refused' });
    await client.close();
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
      await store.checkpoint(attempt.lease, (trx) =>
        pinCrmAccount(trx, store.fingerprint('crm_account', 'another')),
      );
      await store.leases.release(attempt.lease);
    });
    expect(page.status).toBe(400);
    expect(page.text).toContain('was connected to another CRM account before');
    expect(page.text).toContain('Back to the set-up');
  });

  /** Opens the CRM's consent page and returns, as a user who allows the access. */
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

describe('client credentials of Salesforce', () => {
  it('connect without a page of the CRM, once they were tried', async () => {
    const here = await openLocal();
    const crm = await startCrm('salesforce');
    onTestFinished(crm.close);
    const id = await begin(here);
    const { baseUrl: url, clientId, clientSecret } = crm;
    expect((await here.request(`/setup/${id}/crm`)).text).toContain('Client credentials');
    const app = { kind: 'salesforce', way: 'clientCredentials', url, clientId };
    const none = await post(here, `/setup/${id}/crm`, app);
    expect(none.status).toBe(422);
    expect(none.text).toContain('Enter the app&#39;s client secret');
    const wrong = await post(here, `/setup/${id}/crm`, { ...app, clientSecret: 'wrong' });
    expect(wrong.status).toBe(422);
    expect((await findSetup(here.application, id))?.answers.crm).toBeUndefined();
    const right = await post(here, `/setup/${id}/crm`, { ...app, clientSecret });
    expect(right.location).toBe(`/setup/${id}/crm?note=connected`);
    const page = await here.request(`/setup/${id}/crm`);
    expect(page.text).toContain('Connected to');
    expect(page.text).not.toContain(clientSecret);
    // The product keeps the secret while the address and the app do not change.
    const kept = await post(here, `/setup/${id}/crm`, app);
    expect(kept.location).toBe(`/setup/${id}/crm?note=connected`);
    expect((await findSetup(here.application, id))?.answers.crm?.['auth']).toEqual({
      ...{ type: 'clientCredentials', clientId, clientSecret },
    });
  });

  it('are refused at an address that all orgs share', async () => {
    const here = await openLocal({ setup: { serviceUrl: null, hosts: ['login.salesforce.com'] } });
    const id = await begin(here);
    const refused = await post(here, `/setup/${id}/crm`, {
      ...{ kind: 'salesforce', way: 'clientCredentials', url: 'https://login.salesforce.com' },
      ...{ clientId: 'app', clientSecret: 'secret' },
    });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('My Domain');
    expect((await findSetup(here.application, id))?.answers.crm).toBeUndefined();
  });
});
