import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { connectorSecrets } from '../../../src/clients/connector-secrets.ts';
import { findSetup } from '../../../src/clients/setup/draft.ts';
import { saveSealedSettings } from '../../../src/clients/statements/integrations.ts';
import { SETUP_KEPT_MS } from '../../../src/clients/statements/setup-drafts.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { settingsSealContext } from '../../../src/database/encryption/seal-contexts.ts';
import { startMailServer, startWebhook } from '../../clients/alerts/receivers.ts';
import { send } from './people-world.ts';
import {
  answeredAll,
  begin,
  beginWithKey,
  COLUMNS,
  done,
  knownPeople,
  openLocal,
  PEOPLE,
  post,
  settled,
  spentBy,
  storedSettings,
  upload,
  withFile,
} from './setup-world.ts';

it('takes no form from a browser that signed in with an access token', async () => {
  const here = await openLocal();
  const id = await done(here);
  const before = await storedSettings(here, id);
  const token = await here.addToken('admin');
  const { cookie, location } = await send(here, '/sign-in', { token });
  expect([location, cookie]).toEqual(['/', expect.any(String)]);
  const headers = { cookie: cookie ?? '' };

  for (const path of ['change', 'key', 'plan', 'drop', 'file', 'preview']) {
    const form = { baseUrl: 'http://127.0.0.1:9/', apiKey: 'key', do: 'save' };
    const answer = await send(here, `/setup/${id}/${path}`, form, headers);
    expect([path, answer.status]).toEqual([path, 403]);
    expect(answer.text).toContain('An access token may not do this');
  }
  expect(await storedSettings(here, id)).toEqual(before);
});

it('starts no second trial, and stores nothing, from a page of the plan that is outdated', async () => {
  const here = await openLocal();
  const id = await answeredAll(here, 60);
  const versionOf = async () => {
    const { text } = await here.request(`/setup/${id}/plan`);
    return /name="version" value="(\d+)"/.exec(text)?.[1] ?? '';
  };
  const version = await versionOf();
  await post(here, `/setup/${id}/plan`, { do: 'trial', version });
  await settled(here, id);
  expect(await spentBy(here)).toBe(25);
  const before = await storedSettings(here, id);
  for (const deed of ['trial', 'finish', 'rest']) {
    const { status, text } = await post(here, `/setup/${id}/plan`, { do: deed, version });
    expect([deed, status]).toEqual([deed, 409]);
    expect(text).toContain('nothing was started');
  }
  expect(await spentBy(here)).toBe(25);
  expect(await storedSettings(here, id)).toEqual(before);
  const current = await versionOf();
  const finished = await post(here, `/setup/${id}/plan`, { do: 'finish', version: current });
  expect(finished.location).toBe(`/setup/${id}?note=stored`);
});

describe('the set-up of a client', () => {
  it('announces the credits for network members apart from the credits for contacts', async () => {
    const here = await openLocal();
    const [head, ...rows] = (await knownPeople(here, 40)).trimEnd().split('\n');
    const roles = rows.map((row, index) => `${row},${index < 3 ? 'Board' : 'Donor'}`);
    const id = await withFile(here, [`${head},Role`, ...roles, ''].join('\n'));
    await post(here, `/setup/${id}/people`, { ...COLUMNS, addresses: 'Address' });
    await post(here, `/setup/${id}/fields`, { 'to.age': 'Age' });
    const group = JSON.stringify({ column: 'Role', equals: 'Board' });
    await post(here, `/setup/${id}/networks`, { group, [`name:${group}`]: 'The board' });
    await post(here, `/setup/${id}/schedule`);
    const plan = await here.request(`/setup/${id}/plan`);
    expect(plan.text).toContain('40 credits for contacts');
    expect(plan.text).toContain('up to 3 credits for the members of The board');
    await post(here, `/setup/${id}/plan`, { do: 'trial' });
    await settled(here, id);
    const tried = await here.request(`/setup/${id}/plan`);
    expect(tried.text).toMatch(
      /Send the rest: 15 credits for contacts, up to \d for network members/,
    );
  });

  it('tries 25 contacts and no more, stores what apply stores, and sends the rest when a person asks for it', async () => {
    const here = await openLocal();
    const id = await answeredAll(here);
    const plan = await here.request(`/setup/${id}/plan`);
    expect(plan.text).toContain('40 credits');
    expect(plan.text).toContain('Try it on 25 contacts');
    for (const choice of ['CSV file', 'All contacts', '2 fields are written', '900 credits']) {
      expect(plan.text, choice).toContain(choice);
    }
    for (const step of ['crm', 'key', 'people', 'fields', 'networks', 'schedule']) {
      expect(plan.text, step).toContain(`<a href="/setup/${id}/${step}">Change<span`);
    }
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
    expect(tried.text).toContain('When are the other 15 contacts sent?');
    expect(tried.text).toContain('Send the rest: 15 credits');
    expect(tried.text).toContain('Finish, and send them later');
    expect(tried.text).toMatch(/Its first run is on Monday, [A-Z][a-z]+ \d+ at 3:00 AM C[SD]T/);

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
    expect(second.status).toBe(409);
    expect(second.text).toContain('was saved in another window');
    expect(second.text).toMatch(
      /name="perMonth"[^>]* value="88"><span[^>]*>Saved in the other window: <strong>77</,
    );
    const version2 = /name="version" value="(\d+)"/.exec(second.text)?.[1] ?? '';
    expect(version2).not.toBe(version);
    expect((await findSetup(here.application, id))?.answers.budget.perMonth).toBe(77);
  });

  it('stores nothing over what another person has changed meanwhile', async () => {
    const here = await openLocal();
    const id = await answeredAll(here);
    await post(here, `/setup/${id}/plan`, { do: 'trial' });
    await settled(here, id);
    const { store, sealer } = here.application;
    const settings = { ...(await storedSettings(here, id)), name: 'By apply' };
    await store.act((trx) =>
      saveSealedSettings(trx, id, sealer.seal(JSON.stringify(settings), settingsSealContext(id))),
    );
    const refused = await post(here, `/setup/${id}/plan`, { do: 'rest' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('has been changed elsewhere');
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
    expect(example.text).toContain('stays unchanged because of its rule');
    const forced = await post(here, `/setup/${id}/fields`, {
      'to.age': 'Role',
      'when.age': 'always',
      do: 'look',
    });
    expect(forced.text).toContain('<strong>57</strong>');
  });

  it('show the nine fields that are used first, and fold the others', async () => {
    const here = await openLocal();
    const id = await withFile(here);
    await post(here, `/setup/${id}/people`, COLUMNS);
    const { text } = await here.request(`/setup/${id}/fields`);
    const [first = '', folded = ''] = text.split('<details class="more-fields"');
    expect(first.match(/name="to\./g)).toHaveLength(9);
    expect(folded.match(/name="to\./g)).toHaveLength(14);
    expect(folded).toMatch(/^><summary>14 more values \(\d+ written\)/);
    // One field has two values. Either value could be wrong, so the page shows both.
    const twice = { 'to.bio': 'Notes', 'to.work.all': 'Notes', do: 'save' };
    const refused = await post(here, `/setup/${id}/fields`, twice);
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/<details class="more-fields" open/);
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

  it('lead from a new network over its missing fields to the next step, and ask for networks once', async () => {
    const here = await openLocal();
    const crm = await startSalesforceSandbox({ contacts: 20, donors: 40 });
    onTestFinished(crm.close);
    const { baseUrl: url, clientId, clientSecret } = crm;
    const id = await beginWithKey(here);
    const app = { kind: 'salesforce', way: 'clientCredentials', url, clientId, clientSecret };
    await post(here, `/setup/${id}/crm`, app);
    await post(here, `/setup/${id}/people`);
    await post(here, `/setup/${id}/fields`, { 'to.age': 'Donor_Age__c', do: 'create' });
    const offered = (await here.request(`/setup/${id}/networks`)).text;
    const group =
      /name="group" value="([^"]+)"/.exec(offered)?.[1]?.replaceAll('&quot;', '"') ?? '';
    const board = { group, [`name:${group}`]: 'The board' };
    const saved = await post(here, `/setup/${id}/networks`, board);
    expect(saved.location).toBe(`/setup/${id}/fields?note=paths`);
    const page = await here.request(saved.location ?? '');
    expect(page.text).toContain('some of these fields do not exist in the CRM yet');
    const fields = (await findSetup(here.application, id))?.answers.fields ?? [];
    const typed = Object.fromEntries(fields.map(({ from, to }) => [`to.${from}`, to]));
    const created = await post(here, `/setup/${id}/fields`, { ...typed, do: 'create' });
    expect(created.location).toBe(`/setup/${id}/schedule?note=created`);
    // The fields exist, so the user continues directly with the next step.
    await post(here, `/setup/${id}/fields`, { 'to.age': 'Donor_Age__c' });
    const again = await post(here, `/setup/${id}/networks`, board);
    expect(again.location).toBe(`/setup/${id}/schedule`);
  });

  it('never propose a mark as a network', async () => {
    const here = await openLocal();
    const marked =
      'Donor ID,First Name,Last Name,Committee,Do Not Contact,Status,Gone\n' +
      '1,Ada,Vale,Deadline Group,,Active,yes\n2,Ben,Hill,Board,X,Deceased,\n';
    const id = await withFile(here, marked);
    await post(here, `/setup/${id}/people`, { ...COLUMNS, deceased: 'Gone' });
    const { text } = await here.request(`/setup/${id}/networks`);
    for (const group of ['Committee: Deadline Group', 'Committee: Board', 'Status: Active']) {
      expect(text).toContain(group);
    }
    for (const mark of ['Do Not Contact: X', 'Status: Deceased', 'Gone: yes']) {
      expect(text).not.toContain(mark);
    }
  });

  it('are shown as YAML without what is secret in them', async () => {
    const here = await openLocal();
    const id = await withFile(here);
    const { text } = await here.request(`/setup/${id}/schedule`);
    expect(text).toContain(`apiKey: \${LAKESIDE_CLINIC_PARTNER_API_KEY}`);
    expect(text).toContain('firstName: First Name');
  });
});

describe('the examples of fields', () => {
  it('show a time as users write it', async () => {
    const here = await openLocal();
    const id = await withFile(here);
    await post(here, `/setup/${id}/people`, COLUMNS);
    const { text } = await here.request(`/setup/${id}/fields`);
    expect(text).toMatch(/[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M UTC/);
    expect(text).not.toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d/);
  });
});

describe('the alerts of a client', () => {
  it('are tested by e-mail in the set-up if the settings name a recipient', async () => {
    const mailServer = await startMailServer();
    onTestFinished(mailServer.close);
    const email = { to: ['robin@example.org'], from: 'sync@example.org', smtp: mailServer.url };
    const here = await openLocal({ alerts: { email } });
    const id = await begin(here);
    const schedule = `/setup/${id}/schedule`;
    const page = await here.request(schedule);
    expect(page.text).toContain('sent by e-mail to robin@example.org');
    expect(page.text).toContain('so you do not need to enter an address here');
    const tested = await post(here, schedule, { rhythm: 'none', do: 'test' });
    expect(tested.location).toBe(`${schedule}?note=tested`);
    expect(mailServer.mails).toMatchObject([{ to: ['robin@example.org'] }]);
  });

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
    // A later answer without an address keeps the existing address.
    await post(here, schedule, answers);
    await post(here, `/setup/${id}/plan`, { do: 'trial' });
    await settled(here, id);
    await post(here, `/setup/${id}/plan`, { do: 'finish' });
    expect(await storedSettings(here, id)).toMatchObject({ alerts: { webhook: { url } } });
    const page = await here.request(`/clients/${id}/alerts`);
    expect(page.text).toContain('its own webhook');
    expect(page.text).not.toContain('of-the-client');
    const sent = await post(here, `/clients/${id}/alerts/test`);
    expect([sent.text.includes('the message was accepted'), chat.bodies.length]).toEqual([true, 2]);
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
    expect((await here.request(`/setup/${id}/plan`)).text).toContain('can change the cost');
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
