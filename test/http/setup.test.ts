import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import { connectorSecrets } from '../../src/application/connector-secrets.ts';
import { eraseIntegration } from '../../src/application/erase-integration.ts';
import { findSetup } from '../../src/application/setup/draft.ts';
import { systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/new-id.ts';
import { settingsPlace } from '../../src/store/secrets/seal-places.ts';
import { SETUP_KEPT_MS } from '../../src/store/service/setup-drafts.ts';
import { startWebhook } from '../alerts/receivers.ts';
import { createBrowser } from '../helpers/browser.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { controlService } from '../helpers/service-control.ts';
import { type HttpWorld, type HttpWorldOptions, openHttpWorld } from './http-world.ts';
import { startCrm } from './oauth-world.ts';

const open = closedAfterTest(openHttpWorld);
const LOCAL = { setup: { serviceUrl: null, hosts: ['127.0.0.1'] } };

/** A world whose operator lets the set-up name this machine, where the stand-ins are. */
const openLocal = (options: HttpWorldOptions = {}) => open({ ...LOCAL, ...options });

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** Sends a form of ours. */
async function post(here: HttpWorld, path: string, fields: Fields = {}) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) body.append(name, one);
  }
  const response = await fetch(here.url + path, {
    ...{ method: 'POST', redirect: 'manual', body, headers: { origin: here.url } },
  });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get('location'),
    text,
    headers: response.headers,
  };
}

async function upload(here: HttpWorld, id: string, content: string | Uint8Array<ArrayBuffer>) {
  const body = new FormData();
  body.set('file', new File([content], 'donors.csv'));
  const response = await fetch(`${here.url}/setup/${id}/file`, {
    ...{ method: 'POST', redirect: 'manual', body, headers: { origin: here.url } },
  });
  return {
    status: response.status,
    location: response.headers.get('location'),
    text: await response.text(),
  };
}

async function begin(here: HttpWorld, name = 'Lakeside Clinic'): Promise<string> {
  const { location } = await post(here, '/setup', { name });
  return /^\/setup\/([^/]+)\/crm$/.exec(location ?? '')?.[1] ?? '';
}

const PEOPLE = 'Donor ID,First Name,Last Name,Role\n1,Ada,Vale,Board\n2,Ben,Hill,Donor\n';
const COLUMNS = { id: 'Donor ID', names: 'two', firstName: 'First Name', lastName: 'Last Name' };

/** A set-up with a file and a key, at the step that is next. */
async function withFile(here: HttpWorld, text = PEOPLE): Promise<string> {
  const id = await begin(here);
  await upload(here, id, text);
  const { baseUrl, apiKey } = here.service;
  await post(here, `/setup/${id}/key`, { baseUrl, apiKey });
  return id;
}

/** The rows of people that the service knows. */
async function knownPeople({ service }: HttpWorld, count: number): Promise<string> {
  const people = await controlService(service).people(4 * count);
  const whole = people.filter(({ firstName, lastName }) => firstName && lastName);
  // One of each last name: the same person in two contacts would be paid for once.
  const distinct = new Map(whole.map((person) => [person.lastName?.toLowerCase(), person]));
  const rows = [...distinct.values()]
    .slice(0, count)
    .map(({ firstName, lastName, addresses }, index) =>
      [index + 1, firstName, lastName, JSON.stringify(addresses[0] ?? '')].join(','),
    );
  return ['Donor ID,First Name,Last Name,Address', ...rows, ''].join('\n');
}

/** Every step up to the plan, as saved. */
async function answeredAll(here: HttpWorld, count = 40): Promise<string> {
  const id = await withFile(here, await knownPeople(here, count));
  await post(here, `/setup/${id}/people`, { ...COLUMNS, addresses: 'Address' });
  await post(here, `/setup/${id}/fields`, { 'to.age': 'Age', 'to.netWorth.label': 'Net Worth' });
  await post(here, `/setup/${id}/networks`);
  await post(here, `/setup/${id}/schedule`, {
    ...{ rhythm: 'weekly', hour: '3', timezone: 'America/Chicago', perMonth: '900' },
  });
  return id;
}

async function settled(here: HttpWorld, id: string): Promise<string> {
  const setup = await findSetup(here.application, id);
  await here.untilEnded(setup?.trialRun ?? '');
  return setup?.trialRun ?? '';
}

/** A client that was set up to the end. */
async function done(here: HttpWorld): Promise<string> {
  const id = await answeredAll(here);
  await post(here, `/setup/${id}/plan`, { do: 'trial' });
  await settled(here, id);
  await post(here, `/setup/${id}/plan`, { do: 'finish' });
  return id;
}

const spentBy = ({ service }: HttpWorld) => controlService(service).spent();

async function storedSettings({ application: { store, sealer } }: HttpWorld, id: string) {
  const rows = await store.integrations.listSealedSettings();
  const row = rows.find((one) => one.id === id);
  return row ? JSON.parse(sealer.open(row.settings, settingsPlace(id))) : null;
}

describe('the set-up of a client', () => {
  it('tries 25 contacts and no more, stores what apply stores, and sends the rest when a person asks for it', async () => {
    const here = await openLocal();
    const id = await answeredAll(here);
    const plan = await here.request(`/setup/${id}/plan`);
    expect(plan.text).toContain('40 credits');
    expect(plan.text).toContain('Try it on 25 contacts');
    expect(await spentBy(here)).toBe(0);
    expect(await storedSettings(here, id)).toBeNull();

    await post(here, `/setup/${id}/plan`, { do: 'trial' });
    await settled(here, id);
    expect(await spentBy(here)).toBe(25);
    expect(await storedSettings(here, id)).toMatchObject({
      schedule: null,
      budget: { perRun: 25 },
    });
    const tried = await here.request(`/setup/${id}/plan`);
    expect(tried.text).toMatch(/The service knew \d+ of 25 contacts/);
    expect(tried.text).toContain('Send the rest: 15 credits');

    const { location } = await post(here, `/setup/${id}/plan`, { do: 'rest' });
    await here.untilEnded(/^\/runs\/(.+)$/.exec(location ?? '')?.[1] ?? '');
    expect(await spentBy(here)).toBe(40);
    expect(await storedSettings(here, id)).toMatchObject({
      name: 'Lakeside Clinic',
      schedule: { cron: '0 3 * * 1', timezone: 'America/Chicago' },
      budget: { perRun: null, perMonth: 900 },
      crm: { kind: 'csv', columns: { id: 'Donor ID', addresses: ['Address'] } },
    });
    expect(await findSetup(here.application, id)).toBeNull();
    const results = await here.request(`/setup/${id}/results`);
    expect(results.headers.get('content-disposition')).toContain(`${id}-results.csv`);
    expect(results.text.split('\n')[0]).toContain('Net Worth');
  });

  it('spends nothing while it is looked at, in any step', async () => {
    const here = await openLocal();
    const id = await answeredAll(here);
    for (const step of ['crm', 'key', 'people', 'fields', 'networks', 'schedule', 'plan']) {
      const page = await here.request(`/setup/${id}/${step}`);
      expect(page.status, step).toBe(200);
      expect(page.headers.get('cache-control'), step).toBe('no-store');
    }
    expect(await spentBy(here)).toBe(0);
  });

  it('is taken up again at the step where it was left', async () => {
    const here = await openLocal();
    const id = await begin(here);
    const next = async () =>
      (await fetch(`${here.url}/setup/${id}`, { redirect: 'manual' })).headers.get('location');
    const steps = [await next()];
    await upload(here, id, PEOPLE);
    steps.push(await next());
    const { baseUrl, apiKey } = here.service;
    await post(here, `/setup/${id}/key`, { baseUrl, apiKey });
    steps.push(await next());
    await post(here, `/setup/${id}/people`, COLUMNS);
    steps.push(await next());
    await post(here, `/setup/${id}/fields`, { 'to.age': 'Age' });
    steps.push(await next());
    await post(here, `/setup/${id}/networks`);
    steps.push(await next());
    await post(here, `/setup/${id}/schedule`, { rhythm: 'none' });
    steps.push(await next());
    const names = ['crm', 'key', 'people', 'fields', 'networks', 'schedule', 'plan'];
    expect(steps).toEqual(names.map((name) => `/setup/${id}/${name}`));
    expect((await here.request('/setup')).text).toContain('Lakeside Clinic');
  });

  it('leads back to what has to be done first', async () => {
    const here = await openLocal();
    const id = await begin(here);
    for (const step of ['people', 'fields', 'networks', 'plan']) {
      const response = await fetch(`${here.url}/setup/${id}/${step}`, { redirect: 'manual' });
      expect(response.headers.get('location'), step).toBe(`/setup/${id}/crm?note=first`);
      expect((await post(here, `/setup/${id}/${step}`, { do: 'rest' })).location, step).toBe(
        `/setup/${id}/crm?note=first`,
      );
    }
  });

  it('lets two browsers work at once, and loses the answers of neither', async () => {
    const here = await openLocal();
    const id = await withFile(here);
    const setup = await findSetup(here.application, id);
    const version = String(setup?.version);
    const first = await post(here, `/setup/${id}/schedule`, {
      version,
      rhythm: 'none',
      perMonth: '77',
    });
    expect(first.location).toBe(`/setup/${id}/plan`);
    const second = await post(here, `/setup/${id}/schedule`, {
      version,
      rhythm: 'none',
      perMonth: '88',
    });
    expect(second.location).toBe(`/setup/${id}/schedule?note=elsewhere`);
    expect((await here.request(`/setup/${id}/schedule?note=elsewhere`)).text).toContain(
      'in another window',
    );
    expect((await findSetup(here.application, id))?.answers.budget.perMonth).toBe(77);
  });

  it('stores nothing over what another person has changed meanwhile', async () => {
    const here = await openLocal();
    const id = await answeredAll(here);
    await post(here, `/setup/${id}/plan`, { do: 'trial' });
    await settled(here, id);
    const { store, sealer } = here.application;
    const settings = { ...(await storedSettings(here, id)), name: 'By apply' };
    await store.integrations.saveSealedSettings(
      id,
      sealer.seal(JSON.stringify(settings), settingsPlace(id)),
    );
    const refused = await post(here, `/setup/${id}/plan`, { do: 'rest' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('was changed elsewhere');
    expect(await spentBy(here)).toBe(25);
    expect(await storedSettings(here, id)).toMatchObject({ name: 'By apply' });
  });

  it('does not send the rest before a trial', async () => {
    const here = await openLocal();
    const id = await answeredAll(here);
    for (const deed of ['rest', 'finish', 'save', 'accept', '']) {
      expect((await post(here, `/setup/${id}/plan`, { do: deed })).status, deed).toBe(422);
    }
    expect(await spentBy(here)).toBe(0);
    expect(await storedSettings(here, id)).toBeNull();
  });

  it('says that the service knew too few, and stops there', async () => {
    const here = await openLocal();
    const rows = Array.from({ length: 40 }, (_, at) => `${at},Zyx${at},Qwertz${at},Nowhere`);
    const id = await withFile(here, `Donor ID,First Name,Last Name,Address\n${rows.join('\n')}\n`);
    await post(here, `/setup/${id}/people`, { ...COLUMNS, addresses: 'Address' });
    await post(here, `/setup/${id}/fields`, { 'to.age': 'Age' });
    await post(here, `/setup/${id}/plan`, { do: 'trial' });
    await settled(here, id);
    const page = await here.request(`/setup/${id}/plan`);
    expect(page.text).toContain('The service knew 0 of 25 contacts');
    expect(page.text).not.toContain('Send the rest');
    expect(await spentBy(here)).toBe(25);
  });

  it('drops what was answered, with the file and the tokens, and forgets it after 30 days', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    const here = await openLocal({ clock });
    const uploads = () => readdir(join(here.folder, 'uploads'));
    const id = await begin(here);
    await upload(here, id, PEOPLE);
    const secrets = connectorSecrets(here.application, id);
    await secrets.write('token', 'a token');
    expect(await uploads()).toHaveLength(1);
    expect((await post(here, `/setup/${id}/drop`)).location).toBe('/setup?note=dropped');
    expect([await uploads(), await secrets.read('token')]).toEqual([[], null]);
    expect((await here.request(`/setup/${id}/crm`)).status).toBe(404);

    const old = await begin(here, 'Old one');
    await upload(here, old, PEOPLE);
    aheadMs = SETUP_KEPT_MS + 1;
    expect((await here.request(`/setup/${old}/crm`)).status).toBe(404);
    await begin(here, 'New one');
    expect(await uploads()).toEqual([]);
  });
});

describe('the file of a client that leaves', () => {
  const erase = ({ application, clock }: HttpWorld, id: string) =>
    eraseIntegration({ application, clock, newId: () => newId(clock.now()) }, id);
  const leftIn = (here: HttpWorld) => readdir(join(here.folder, 'uploads'));

  it('goes with it and its results, as the receipt says, and no other file', async () => {
    const here = await openLocal();
    const id = await done(here);
    const { crm } = await storedSettings(here, id);
    await writeFile(join(here.folder, 'uploads', 'by-hand.csv'), PEOPLE);
    const own = [crm.path, crm.output].map((path) => `uploads/${basename(path)}`);
    expect((await leftIn(here)).length).toBe(3);
    const receipt = await erase(here, id);
    expect(receipt.files).toEqual(own.sort());
    expect(await leftIn(here)).toEqual(['by-hand.csv']);
    expect((await erase(here, id)).files).toEqual([]);
  });

  it('stays with all that says which file it is while its folder cannot be read', async () => {
    const here = await openLocal();
    const id = await done(here);
    const folder = join(here.folder, 'uploads');
    await rename(folder, `${folder}-away`);
    await writeFile(folder, 'no folder');
    await expect(erase(here, id)).rejects.toThrow('ENOTDIR');
    await rm(folder);
    await rename(`${folder}-away`, folder);
    expect((await erase(here, id)).files).toHaveLength(2);
  });

  it('is deleted before what says which file it is, so that what was cut off is done by the same command', async () => {
    const here = await openLocal();
    const id = await done(here);
    const { store } = here.application;
    const cut = {
      ...here.application,
      store: {
        ...store,
        forget: { ...store.forget, eraseIntegration: () => Promise.reject(new Error('killed')) },
      },
    };
    await expect(erase({ ...here, application: cut }, id)).rejects.toThrow('killed');
    expect(await storedSettings(here, id)).not.toBeNull();
    expect(await leftIn(here)).toEqual([]);
    await erase(here, id);
    expect(await storedSettings(here, id)).toBeNull();
  });

  it('stays while another client names it', async () => {
    const here = await openLocal();
    const id = await done(here);
    const integration = here.application.integrations.get(id);
    if (integration === undefined) throw new Error(`there is no ${id}`);
    const integrations = new Map([
      ...here.application.integrations,
      ['two', { ...integration, id: 'two' }],
    ]);
    const application = { ...here.application, integrations };
    expect((await erase({ ...here, application }, id)).files).toEqual([]);
    expect((await leftIn(here)).length).toBe(2);
  });

  it('is the last one that was dropped: those before it are taken away at once', async () => {
    const here = await openLocal();
    const id = await begin(here);
    await upload(here, id, PEOPLE);
    const before = await leftIn(here);
    await upload(here, id, PEOPLE);
    const after = await leftIn(here);
    expect([before.length, after.length]).toEqual([1, 1]);
    expect(after).not.toEqual(before);
  });
});

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

describe('what a browser may not set', () => {
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
    for (const { text } of [key, crm]) expect(text).toMatch(/operator&#39;s file|no address/);
    expect(await controlService(here.service).requests()).toEqual([]);
  });

  it('is a package as a connector, or a file on the machine', async () => {
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

  it('is a variable of the environment, in any answer', async () => {
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
      expect(text).toContain('belong to the operator');
    }
  });

  it('is an integration of the settings file', async () => {
    const here = await openLocal();
    const page = await here.request('/setup/riverside');
    expect(page.text).toContain('This one is in <code>donor-sync.yaml</code>');
    expect(page.text).not.toContain(here.service.apiKey);
    expect((await post(here, '/setup/riverside/change')).status).toBe(422);
    expect(await findSetup(here.application, 'riverside')).toBeNull();
    expect(await begin(here, 'Riverside')).toBe('riverside-2');
  });

  it('is the client secret of an app that answers elsewhere', async () => {
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
    expect(refused.text).toContain('asked for again');
  });

  it('is anything from a page of another site', async () => {
    const here = await openLocal();
    const id = await begin(here);
    for (const path of ['/setup', `/setup/${id}/key`, `/setup/${id}/file`, `/setup/${id}/drop`]) {
      const response = await fetch(here.url + path, {
        ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ name: 'x' }) },
        headers: { origin: 'https://elsewhere.example' },
      });
      expect(response.status, path).toBe(403);
    }
  });
});

describe('a file that is dropped', () => {
  const text = (words: string) => new TextEncoder().encode(words);

  it.each([
    ['an archive', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 1, 2]), 'not a CSV file'],
    ['an empty one', text('\n'), 'name at least 2 columns'],
    ['one column', text('Name\nAda Vale\n'), 'name at least 2 columns'],
    ['no row', text('Id,First Name,Last Name\n'), 'no contact below it'],
    ['nothing but blank rows', text('Id,First Name,Last Name\n,,\n\n'), 'no contact below it'],
  ])('is refused in words where it is no list of contacts: %s', async (_, content, words) => {
    const here = await openLocal();
    const id = await begin(here);
    const refused = await upload(here, id, content);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(words);
    expect(refused.text).not.toContain(here.folder);
    expect(await readdir(join(here.folder, 'uploads'))).toEqual([]);
  });

  it('is refused before it is read where it has 30 MB', async () => {
    const here = await openLocal();
    const id = await begin(here);
    const refused = await upload(here, id, new Uint8Array(30 * 1_024 * 1_024));
    expect(refused.status).toBe(413);
    expect(refused.text).toContain('20 MB');
  });

  it('may be UTF-16, as Excel writes it, and is kept under a name of ours that others cannot read', async () => {
    const here = await openLocal();
    const id = await begin(here);
    const wide = Buffer.from(
      `\uFEFF${PEOPLE.replaceAll(',', '\t').replace('Ada', 'Zoë')}`,
      'utf16le',
    );
    expect((await upload(here, id, new Uint8Array(wide))).location).toBe(
      `/setup/${id}/people?note=file`,
    );
    const [name = ''] = await readdir(join(here.folder, 'uploads'));
    const { mode } = await stat(join(here.folder, 'uploads', name));
    expect(mode & 0o777).toBe(0o600);
    expect(name).toMatch(/^[0-9a-f-]{36}\.csv$/);
    await post(here, `/setup/${id}/people`, COLUMNS);
    expect((await here.request(`/setup/${id}/people`)).text).toContain('<th scope="row">Zoë</th>');
  });

  it('may call its columns whatever it likes', async () => {
    const here = await openLocal();
    const id = await begin(here);
    const names = ['Donor ID', `\${HOME}`, '"><script>alert(1)</script>', "=cmd|'/c calc'!A1"];
    const head = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',');
    await upload(here, id, `${head}\n1,Ada,Vale,x\n`);
    const [whole = '', first = '', last = '', role = ''] = names;
    const chosen = { id: whole, names: 'two', firstName: first, lastName: last, employers: role };
    expect((await post(here, `/setup/${id}/people`, chosen)).location).toBe(`/setup/${id}/fields`);
    const page = await here.request(`/setup/${id}/people`);
    expect(page.text).toContain('<th scope="row">Ada</th>');
    expect(page.text).not.toContain('<script>alert');
    expect((await findSetup(here.application, id))?.answers.crm).toMatchObject({
      columns: { firstName: first, lastName: last, employers: [role] },
    });
  });

  it('takes whole names apart', async () => {
    const here = await openLocal();
    const id = await begin(here);
    await upload(here, id, 'Id,Name\n1,"Vale, Ada"\n2,Ben Hill\n');
    const page = await here.request(`/setup/${id}/people`);
    expect(page.text).toContain('<th scope="row">Ada</th>');
    expect(page.text).toContain('<th scope="row">Ben</th>');
  });
});

describe('the answers of the steps', () => {
  it('are shown before they are kept, for who asks for a look', async () => {
    const here = await openLocal();
    const id = await withFile(here);
    const looked = await post(here, `/setup/${id}/people`, {
      ...{ ...COLUMNS, firstName: 'Last Name', lastName: 'First Name', do: 'look' },
    });
    expect(looked.status).toBe(200);
    expect(looked.headers.get('cache-control')).toBe('no-store');
    expect(looked.text).toContain('<th scope="row">Vale</th>');
    expect((await findSetup(here.application, id))?.answers.crm).toMatchObject({
      columns: { firstName: 'First Name' },
    });
    const fields = await post(here, `/setup/${id}/people`, COLUMNS);
    expect(fields.location).toBe(`/setup/${id}/fields`);
    const example = await post(here, `/setup/${id}/fields`, {
      'to.age': 'Role',
      'when.age': 'ifEmpty',
      do: 'look',
    });
    expect(example.text).toContain('stays as it is, by the rule');
    const forced = await post(here, `/setup/${id}/fields`, {
      'to.age': 'Role',
      'when.age': 'always',
      do: 'look',
    });
    expect(forced.text).toContain('<strong>57</strong>');
  });

  it('say the next three runs in words, in the zone of the client', async () => {
    const here = await openLocal();
    const id = await begin(here);
    const look = { do: 'look', rhythm: 'weekly', hour: '7', timezone: 'Europe/Berlin' };
    const page = await post(here, `/setup/${id}/schedule`, look);
    expect(page.text.match(/Monday, [A-Z][a-z]+ \d+ at 7:00 AM/g)).toHaveLength(3);
    const wrong = await post(here, `/setup/${id}/schedule`, { ...look, timezone: 'Mars/Base' });
    expect([wrong.status, wrong.text.includes('not a time zone')]).toEqual([422, true]);
  });

  it('make a network of a group, with its size', async () => {
    const here = await openLocal();
    const id = await withFile(here);
    await post(here, `/setup/${id}/people`, COLUMNS);
    const group = JSON.stringify({ column: 'Role', equals: 'Board' });
    expect((await here.request(`/setup/${id}/networks`)).text).toContain('Role: Board');
    const saved = await post(here, `/setup/${id}/networks`, {
      group,
      [`name:${group}`]: 'The board',
    });
    expect(saved.location).toBe(`/setup/${id}/schedule`);
    expect((await findSetup(here.application, id))?.answers.networks).toMatchObject([
      { name: 'The board', group: { column: 'Role', equals: 'Board' } },
    ]);
    const shell = JSON.stringify({ path: '/etc/passwd' });
    expect(
      (await post(here, `/setup/${id}/networks`, { group: shell, [`name:${shell}`]: 'x' })).status,
    ).toBe(422);
  });

  it('are shown as YAML without what is secret in them', async () => {
    const here = await openLocal();
    const id = await withFile(here);
    const { text } = await here.request(`/setup/${id}/schedule`);
    expect(text).toContain(`apiKey: \${LAKESIDE_CLINIC_PARTNER_API_KEY}`);
    expect(text).toContain('firstName: First Name');
  });
});

describe('the alerts of a client', () => {
  it('go to a chat that an admin names in the set-up, which is tested there and shown nowhere', async () => {
    const chat = await startWebhook();
    onTestFinished(chat.close);
    const here = await openLocal();
    const id = await answeredAll(here);
    const answers = { rhythm: 'none', perMonth: '900' };
    const schedule = `/setup/${id}/schedule`;
    const none = await post(here, schedule, { ...answers, do: 'test' });
    expect([none.status, none.text.includes('address of a webhook first')]).toEqual([422, true]);
    const inside = await post(here, schedule, { ...answers, alertsUrl: 'http://10.0.0.9/chat' });
    expect([inside.status, inside.text.includes('cannot be set in a browser')]).toEqual([
      422,
      true,
    ]);
    const url = `${chat.url}/of-the-client`;
    const tested = await post(here, schedule, { ...answers, alertsUrl: url, do: 'test' });
    expect(tested.location).toBe(`${schedule}?note=tested`);
    expect(JSON.stringify(chat.bodies)).toContain('There is no problem.');
    for (const path of [schedule, `/setup/${id}/plan`]) {
      expect((await here.request(path)).text).not.toContain('of-the-client');
    }
    // A later answer without an address keeps the one that is there.
    await post(here, schedule, answers);
    await post(here, `/setup/${id}/plan`, { do: 'trial' });
    await settled(here, id);
    await post(here, `/setup/${id}/plan`, { do: 'finish' });
    expect(await storedSettings(here, id)).toMatchObject({ alerts: { webhook: { url } } });
    const page = await here.request(`/clients/${id}/alerts`);
    expect(page.text).toContain('a webhook of its own');
    expect(page.text).not.toContain('of-the-client');
    const sent = await post(here, `/clients/${id}/alerts/test`);
    expect([sent.text.includes('the message was taken'), chat.bodies.length]).toEqual([true, 2]);
    const audit = await here.request('/v1/audit?limit=50');
    expect(audit.text).toContain(`"${id}"`);
    expect(audit.text).not.toContain('of-the-client');

    await post(here, `/setup/${id}/change`);
    await post(here, schedule, { ...answers, alertsOff: 'yes' });
    await post(here, `/setup/${id}/plan`, { do: 'save' });
    expect((await storedSettings(here, id)).alerts).toBeUndefined();
  });
});

describe('a change of a client', () => {
  it('is shown line by line before it counts, and costs nothing by itself', async () => {
    const here = await openLocal();
    const id = await done(here);
    expect((await post(here, `/setup/${id}/change`)).status).toBe(303);
    await post(here, `/setup/${id}/schedule`, {
      rhythm: 'nightly',
      hour: '1',
      timezone: 'UTC',
      perMonth: '50',
    });
    const review = await here.request(`/setup/${id}/plan`);
    expect(review.text).toMatch(/class="removed">- +cron: 0 3 \* \* 1/);
    expect(review.text).toMatch(/class="added">\+ +cron: 0 1 \* \* \*/);
    expect(review.text).not.toContain('what is paid for');
    expect(await storedSettings(here, id)).toMatchObject({ budget: { perMonth: 900 } });
    expect((await post(here, `/setup/${id}/plan`, { do: 'save' })).location).toBe(
      `/setup/${id}?note=stored`,
    );
    expect(await storedSettings(here, id)).toMatchObject({
      schedule: { cron: '0 1 * * *', timezone: 'UTC' },
      budget: { perMonth: 50 },
    });
    expect(await spentBy(here)).toBe(25);
  });

  it('says where it changes what is paid for, and keeps the contacts in their CRM', async () => {
    const here = await openLocal();
    const id = await done(here);
    await post(here, `/setup/${id}/change`);
    await post(here, `/setup/${id}/people`, COLUMNS);
    expect((await here.request(`/setup/${id}/plan`)).text).toContain('so what is paid for');
    const other = { kind: 'hubspot', clientId: 'a', clientSecret: 'b' };
    const refused = await post(here, `/setup/${id}/crm`, other);
    expect([refused.status, refused.text.includes('Add another client')]).toEqual([422, true]);
  });

  it('takes a new file of the same contacts in the place of the old one', async () => {
    const here = await openLocal();
    const id = await done(here);
    const before = await storedSettings(here, id);
    await post(here, `/setup/${id}/change`);
    await upload(here, id, await knownPeople(here, 41));
    await post(here, `/setup/${id}/plan`, { do: 'save' });
    expect((await storedSettings(here, id)).crm).toEqual(before.crm);
    const text = await readFile(before.crm.path, 'utf8');
    expect(text.trim().split('\n')).toHaveLength(42);
  });
});

it('takes no file where several machines share a database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-none-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { takesUploads, takeUpload } = await import('../../src/application/setup/uploads.ts');
  const where = { database: 'postgres://localhost/donor_sync' };
  expect(takesUploads(where)).toBe(false);
  await expect(takeUpload(where, new Uint8Array([1]))).rejects.toMatchObject({
    code: 'setup_file_elsewhere',
  });
});
