/** Tests the set-up questions about the meaning of choice-list values, for each kind of CRM. */
import { expect, it, onTestFinished } from 'vitest';
import { startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { findSetup } from '../../../src/clients/setup/draft.ts';
import { lookAtPeople } from '../../../src/clients/setup/setup-preview.ts';
import { integrationSchema } from '../../../src/core/integration-settings.ts';
import { sandboxControl } from '../../connectors/crm-sandbox.ts';
import { beginWithKey, COLUMNS, openLocal, post, withFile } from './setup-world.ts';

const means = (meaning: string, value: string) => JSON.stringify([meaning, value]);

it('asks of a file what the words of a status mean, and keeps the answers', async () => {
  const here = await openLocal();
  const rows = ['Active', 'Active', 'Gone', 'Moved', 'Active'].map(
    (status, at) => `${at + 1},Ada${'abcde'[at]},Vale${'fghij'[at]},${status},${at}@a.org`,
  );
  const id = await withFile(
    here,
    `Donor ID,First Name,Last Name,Status,Mail\n${rows.join('\n')}\n`,
  );
  const path = `/setup/${id}/people`;
  const chosen = { ...COLUMNS, deceased: 'Status' };
  const asked = await post(here, path, { ...chosen, do: 'look' });
  expect(asked.text).toMatch(
    /A mark is a column in your file that says whom\s+donor-sync must leave out/,
  );
  expect(asked.text).toContain('For example, if');
  expect(asked.text).toContain('The values of Status, in the first 5 contacts');
  expect(asked.text).toMatch(/“Active” \(3\)[\s\S]*“Gone” \(1\)[\s\S]*“Moved” \(1\)/);
  expect(asked.text).toContain(
    'No column of the file marks contacts that have opted out or contacts that must not be contacted',
  );
  // The form offers neither addresses nor names as marks.
  const offered = /<select id="f-deceased"[\s\S]*?<\/select>/.exec(asked.text)?.[0] ?? '';
  expect(offered).toContain('Status');
  expect(offered).not.toContain('Mail');
  await post(here, path, {
    ...{ ...chosen, 'valuesOf.deceased': 'Status' },
    'means.deceased': [means('unmarked', 'Active'), means('marked', 'Gone'), means('', 'Moved')],
  });
  const contacts = (await findSetup(here.application, id))?.answers.contacts;
  expect(contacts).toMatchObject({
    ...{ deceasedField: 'Status', deceasedValues: ['Gone'] },
    unmarkedValues: { deceased: ['Active'] },
  });
  const page = await here.request(path);
  expect(page.text).toContain('3 can be sent');
  expect(page.text).toMatch(/1 excluded: [^;]*deceased|1 excluded: [^;]*died/);
  // The column has changed, so the answer for the previous column is no longer valid.
  await post(here, path, { ...COLUMNS, deceased: '' });
  const after = (await findSetup(here.application, id))?.answers.contacts;
  expect(after?.deceasedValues).toBeUndefined();
  expect(after?.unmarkedValues).toBeUndefined();
});

it('shows the options of a HubSpot property with their counts, instead of asking for settings', async () => {
  const here = await openLocal();
  const crm = await startHubspotSandbox({ contacts: 12, donors: 10, ratePer10s: 0 });
  onTestFinished(crm.close);
  const id = await beginWithKey(here);
  await post(here, `/setup/${id}/crm`, { kind: 'hubspot', url: crm.baseUrl, token: crm.token });
  const path = `/setup/${id}/people`;
  const asked = await post(here, path, { optOut: 'hs_lead_status', do: 'look' });
  expect(asked.text).toContain('The values of hs_lead_status, in the first 12 contacts');
  expect(asked.text).toContain('“IN_PROGRESS” (');
  expect(asked.text).toContain('Choose the meaning of each value in the list above');
  expect(asked.text).not.toContain('Write into contacts this line');
  const offered = /<select id="f-optOut"[\s\S]*?<\/select>/.exec(asked.text)?.[0] ?? '';
  expect(offered).toContain('hs_lead_status');
  expect(offered).not.toContain('(email)');
  const saved = await post(here, path, {
    ...{ optOut: 'hs_lead_status', 'valuesOf.optOut': 'hs_lead_status' },
    'means.optOut': [means('marked', 'NEW'), means('unmarked', 'OPEN')],
  });
  expect(saved.location).toBe(`/setup/${id}/fields`);
  const page = await here.request(path);
  expect(page.text).toContain('As they would be sent');
});

it('says which marks of Salesforce count by themselves, and how many contacts they leave out', async () => {
  const here = await openLocal();
  const crm = await startSalesforceSandbox({ contacts: 60, donors: 40 });
  onTestFinished(crm.close);
  const { baseUrl, apiKey } = here.service;
  const integration = integrationSchema.parse({
    ...{ id: 'riverside', partner: { baseUrl, apiKey } },
    crm: { kind: 'salesforce', url: crm.baseUrl, auth: { type: 'token', token: crm.token } },
  });
  const signal = new AbortController().signal;
  const look = await lookAtPeople({ application: here.application, signal }, integration);
  expect(look.automatic).toMatchObject([
    { kind: 'deceased', fields: expect.arrayContaining(['npsp__Deceased__c']) },
    { kind: 'doNotContact', fields: expect.arrayContaining(['npsp__Do_Not_Contact__c']) },
  ]);
  const types = new Set(look.fields.map(({ type }) => type));
  expect([...types].sort()).toEqual(['boolean', 'date', 'datetime', 'picklist']);
  const picklist = look.fields.find(({ type }) => type === 'picklist')?.name ?? '';
  const asked = await lookAtPeople(
    { application: here.application, signal },
    { ...integration, contacts: { ...integration.contacts, optOutField: picklist } },
  );
  expect(asked).toMatchObject({ isUnsaid: true, persons: [] });
  expect(asked.values).toMatchObject([{ kind: 'optOut', field: picklist, of: 60 }]);
});

it('shows on the page which field counts without a choice, for how many contacts, and offers fields that fit', async () => {
  const here = await openLocal();
  const crm = await startSalesforceSandbox({ contacts: 20, donors: 40, shape: 'npsp' });
  onTestFinished(crm.close);
  const { baseUrl: url, clientId, clientSecret, rootUrl } = crm;
  const { control, people } = sandboxControl(rootUrl);
  const contacts = await people();
  const dead = contacts.slice(0, 6).map(({ id }) => id);
  for (const { id } of contacts) {
    const values = { npsp__Deceased__c: dead.includes(id), npsp__Do_Not_Contact__c: false };
    await control('POST', 'edit', { action: 'update', id, values });
  }
  const id = await beginWithKey(here);
  const app = { kind: 'salesforce', way: 'clientCredentials', url, clientId, clientSecret };
  await post(here, `/setup/${id}/crm`, app);
  const path = `/setup/${id}/people`;
  const { text } = await post(here, path, { do: 'look' });
  expect(text).toContain('Automatic: npsp__Deceased__c (6 contacts)');
  const offered = /<select id="f-deceased"[\s\S]*?<\/select>/.exec(text)?.[0] ?? '';
  expect(offered).toContain('(npsp__Do_Not_Contact__c)');
  // A text, number or reference field cannot be a mark.
  for (const field of ['(Email)', '(LastName)', '(AccountId)', '(MailingCity)']) {
    expect(offered).not.toContain(field);
  }
});
