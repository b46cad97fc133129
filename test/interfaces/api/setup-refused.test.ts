import { describe, expect, it } from 'vitest';
import { findSetup } from '../../../src/clients/setup/draft.ts';
import { controlService } from '../../helpers/service-control.ts';
import { begin, open, openLocal, post, withFile } from './setup-world.ts';

describe('the set-up in a browser', () => {
  it.each([
    'http://127.0.0.1:9/v1/partners',
    'https://127.0.0.1/v1/partners',
    'https://10.1.2.3/v1',
    'https://192.168.0.1',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[fd00::7]/',
    'https://2130706433/',
    'https://localhost/',
    'https://service.internal/',
    'https://intranet/',
    'https://user:pass@example.org/',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ])('is the private or odd address %s', async (address) => {
    const here = await open();
    const id = await begin(here);
    const key = await post(here, `/setup/${id}/key`, { baseUrl: address, apiKey: 'pk' });
    const app = { kind: 'salesforce', clientId: 'a', clientSecret: 'b', url: address };
    const crm = await post(here, `/setup/${id}/crm`, app);
    expect([key.status, crm.status]).toEqual([422, 422]);
    for (const { text } of [key, crm])
      expect(text).toMatch(/cannot be set in a browser|expected a URL that starts with https/);
    expect(await controlService(here.service).requests()).toEqual([]);
  });

  it('refuses a package as a connector, and a file on the server', async () => {
    const here = await openLocal();
    const id = await begin(here);
    for (const kind of ['my-connector', 'csv', 'memory', '../x', '']) {
      const refused = await post(here, `/setup/${id}/crm`, {
        kind,
        path: '/etc/passwd',
        clientId: 'a',
      });
      expect(refused.status, kind).toBe(422);
      expect(refused.text, kind).toContain('donor-sync.yaml');
    }
    expect((await findSetup(here.application, id))?.answers.crm).toBeUndefined();
    expect((await here.request('/setup/riverside/results')).status).toBe(404);
  });

  it('refuses a variable of the environment in every answer', async () => {
    const here = await openLocal();
    expect((await post(here, '/setup', { name: `\${HOME}` })).status).toBe(422);
    const id = await withFile(here);
    const { baseUrl } = here.service;
    const variable = `\${PARTNER_API_KEY}`;
    const tries = [
      await post(here, `/setup/${id}/key`, { baseUrl, apiKey: variable }),
      await post(here, `/setup/${id}/crm`, {
        kind: 'hubspot',
        clientId: variable,
        clientSecret: 'x',
      }),
      await post(here, `/setup/${id}/schedule`, { rhythm: 'cron', cron: variable }),
    ];
    for (const { status, text } of tries) {
      expect(status).toBe(422);
      expect(text).toContain('can be used only in the operator');
    }
  });

  it('refuses to change a client of the settings file', async () => {
    const here = await openLocal();
    const page = await here.request('/setup/riverside');
    expect(page.text).toContain('This client is in <code>donor-sync.yaml</code>');
    expect(page.text).not.toContain(here.service.apiKey);
    expect((await post(here, '/setup/riverside/change')).status).toBe(422);
    expect(await findSetup(here.application, 'riverside')).toBeNull();
    expect(await begin(here, 'Riverside')).toBe('riverside-2');
  });

  it('asks for the client secret again if the address of the CRM changes', async () => {
    const here = await openLocal();
    const id = await begin(here);
    const app = { kind: 'salesforce', clientId: 'app', url: 'http://127.0.0.1:9' };
    expect((await post(here, `/setup/${id}/crm`, { ...app, clientSecret: 's3cret' })).status).toBe(
      303,
    );
    expect((await here.request(`/setup/${id}/crm`)).text).not.toContain('s3cret');
    const same = await post(here, `/setup/${id}/crm`, { ...app, clientSecret: '' });
    expect(same.status).toBe(303);
    const elsewhere = { ...app, url: 'http://127.0.0.1:10', clientSecret: '' };
    const refused = await post(here, `/setup/${id}/crm`, elsewhere);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('enter the client secret again');
  });

  it('refuses every form from a page of another site', async () => {
    const here = await openLocal();
    const id = await begin(here);
    for (const path of [
      '/setup',
      `/setup/${id}/key`,
      `/setup/${id}/file`,
      `/setup/${id}/preview`,
      `/setup/${id}/drop`,
    ]) {
      const response = await fetch(here.url + path, {
        ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ name: 'x' }) },
        headers: { origin: 'https://elsewhere.example' },
      });
      expect(response.status, path).toBe(403);
    }
  });
});
