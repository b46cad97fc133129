/**
 * Tests the form that connects a CRM, for kinds of CRM that are not built in. It follows from the connector's
 * declarations.
 */
import { describe, expect, it } from 'vitest';
import type { AboutRemoteCrm, SignIn } from '../../../connectors/about.ts';
import { integrationSchema } from '../../../src/core/integration-settings.ts';
import { ConnectDoor } from '../../../src/interfaces/pages/setup/connect-steps.tsx';
import { isSignedIn, readCrm } from '../../../src/interfaces/pages/setup/crm-form.ts';

const ALLOWED = { guard: { requirePublic: async () => {} }, apps: {} };

const KEY: SignIn = {
  type: 'apiKey',
  label: 'API key',
  browser: 'key',
  fields: [
    { name: 'user', noun: 'the user', label: 'User', isSecret: false, variable: 'EXAMPLE_USER' },
    {
      name: 'apiKey',
      noun: 'the API key',
      label: 'API key',
      hint: 'In the profile of the user.',
      isSecret: true,
      variable: 'EXAMPLE_KEY',
    },
    {
      name: 'siteKey',
      noun: 'the site key',
      label: 'Site key',
      isSecret: true,
      isOptional: true,
      variable: 'EXAMPLE_SITE_KEY',
    },
  ],
};

const APP: SignIn = {
  type: 'oauth',
  label: 'A user grants access',
  browser: 'app',
  isConsent: true,
  fields: [
    { name: 'clientId', noun: 'the ID', label: 'ID', isSecret: false, variable: 'EXAMPLE_ID' },
    {
      name: 'clientSecret',
      noun: 'it',
      label: 'Secret',
      isSecret: true,
      variable: 'EXAMPLE_SECRET',
    },
  ],
};

function aCrm(signIns: readonly SignIn[], address: { usual?: string; isForAll?: boolean } = {}) {
  const about: AboutRemoteCrm = {
    kind: 'example',
    name: 'Example',
    setup: {
      address: { noun: 'the address of your site', ask: 'Where is it?', label: 'Site', ...address },
      signIns,
      howTo: ['Open the profile.'],
      groupExample: '{ group: Board }',
    },
  };
  return about;
}

const ENTERED = { user: 'ann', apiKey: 'k-1', siteKey: 's-1' };

function aSetup(crm?: Record<string, unknown>) {
  const answers = integrationSchema
    .partial({ partner: true, crm: true })
    .parse({ id: 'riverside', ...(crm && { crm }) });
  return { id: 'riverside', version: 1, answers };
}

const AT_A = { kind: 'example', url: 'https://a.example', auth: { type: 'apiKey', ...ENTERED } };

function read(form: Record<string, string>, before?: Record<string, unknown>, about = aCrm([KEY])) {
  return readCrm(about, aSetup(before), form, ALLOWED);
}

describe('the form of a CRM with a key', () => {
  it('becomes the settings, without the values that were left empty', async () => {
    const form = { url: 'https://a.example', user: 'ann', apiKey: 'k-1', siteKey: ' ' };
    expect(await read(form)).toEqual({
      kind: 'example',
      url: 'https://a.example',
      auth: { type: 'apiKey', user: 'ann', apiKey: 'k-1' },
    });
  });

  it.each([
    ['the address of your site', { user: 'ann', apiKey: 'k-1' }],
    ['the user', { url: 'https://a.example', apiKey: 'k-1' }],
    ['the API key', { url: 'https://a.example', user: 'ann' }],
  ])('is refused without %s', async (noun, form) => {
    await expect(read(form)).rejects.toThrow(`Enter ${noun}.`);
  });

  it('keeps secrets for the same address only, and nothing that a page has shown', async () => {
    const again = { url: 'https://a.example/', user: 'ben' };
    expect(await read(again, AT_A)).toMatchObject({
      auth: { type: 'apiKey', user: 'ben', apiKey: 'k-1', siteKey: 's-1' },
    });
    await expect(read({ url: 'https://a.example' }, AT_A)).rejects.toThrow('Enter the user.');
    await expect(read({ url: 'https://b.example', user: 'ann' }, AT_A)).rejects.toThrow(
      'You changed the address, so enter the API key again.',
    );
    const elsewhere = { url: 'https://b.example', user: 'ann', apiKey: 'k-2' };
    await expect(read(elsewhere, AT_A)).rejects.toThrow('enter the site key again');
    // The form also omits the secrets of a different kind of CRM or a different sign-in method.
    const others = [
      { ...AT_A, kind: 'other' },
      { ...AT_A, auth: { ...AT_A.auth, type: 'oauth' } },
    ];
    for (const other of others) {
      await expect(read(again, other)).rejects.toThrow('Enter the API key.');
    }
  });

  it('checks the address before it reads a secret', async () => {
    const guard = { requirePublic: () => Promise.reject(new Error('not here')) };
    const reading = readCrm(aCrm([KEY]), aSetup(AT_A), {}, { guard, apps: {} });
    await expect(reading).rejects.toThrow('Enter the address of your site.');
    const form = { url: 'https://a.example' };
    await expect(readCrm(aCrm([KEY]), aSetup(AT_A), form, { guard, apps: {} })).rejects.toThrow(
      'not here',
    );
  });

  it('uses a typed key before the app, and the app otherwise', async () => {
    const both = aCrm([KEY, APP], { usual: 'https://api.example', isForAll: true });
    const app = { clientId: 'id', clientSecret: 'secret' };
    expect(await read({ ...app }, undefined, both)).toEqual({
      kind: 'example',
      url: 'https://api.example',
      auth: { type: 'oauth', ...app },
    });
    const typed = await read({ ...app, user: 'ann', apiKey: 'k-1' }, undefined, both);
    expect(typed).toMatchObject({ auth: { type: 'apiKey', user: 'ann', apiKey: 'k-1' } });
  });

  it('needs no consent of a user unless a known CRM says so', () => {
    const signedIn = (kind: string, type: string) =>
      isSignedIn({ answers: aSetup({ kind, url: 'https://a.example', auth: { type } }).answers });
    expect(signedIn('hubspot', 'token')).toBe(true);
    expect(signedIn('salesforce', 'clientCredentials')).toBe(true);
    expect(signedIn('salesforce', 'oauth')).toBe(false);
    expect(signedIn('hubspot', 'toString')).toBe(false);
    expect(isSignedIn({})).toBe(false);
  });
});

describe('the page of a CRM with a key', () => {
  const render = (about: AboutRemoteCrm, before?: Record<string, unknown>) =>
    String(ConnectDoor({ about, page: { apps: {}, callbacks: new Map(), setup: aSetup(before) } }));

  it('asks for the address and the key, and explains where they are', () => {
    const html = render(aCrm([KEY]));
    for (const name of ['url', 'user', 'apiKey']) {
      expect(html).toMatch(new RegExp(`<input[^>]*name="${name}"[^>]*required`));
    }
    expect(html).toMatch(/<input(?![^>]*required)[^>]*name="siteKey"/);
    expect(html).toContain('In the profile of the user.');
    expect(html).toContain('Open the profile.');
    expect(html).toContain('Connect Example');
    expect(html).not.toContain('clientId');
    expect(html).not.toContain('Callback URL');
  });

  it('shows no secret again, and does not ask for it again', () => {
    const html = render(aCrm([KEY]), AT_A);
    expect(html).toContain('value="ann"');
    expect(html).toContain('value="https://a.example"');
    expect(html).not.toMatch(/k-1|s-1/);
    expect(html).toMatch(/<input(?![^>]*required)[^>]*name="apiKey"/);
    expect(html).toContain('Entered. Leave this empty, unless the address changes.');
  });

  it('folds an address away that all accounts share', () => {
    const html = render(aCrm([KEY], { usual: 'https://api.example', isForAll: true }));
    const [before = '', folded = ''] = html.split('Another address');
    expect(before).toContain('name="apiKey"');
    expect(before).not.toContain('name="url"');
    expect(folded).toContain('value="https://api.example"');
  });
});
