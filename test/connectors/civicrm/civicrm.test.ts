import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { civicrmConnector } from '../../../connectors/civicrm/connector.ts';
import { NOT_VERIFIED } from '../../../connectors/civicrm/not-verified.ts';
import { collect, getValues } from '../../../connectors/testing/readings.ts';
import { openSite, type Site } from './site.ts';

const ADA = { firstName: 'Ada', lastName: 'Hall', addresses: ['1 Elm St'], employers: ['Acme'] };
const BEN = { ...ADA, firstName: 'Ben' };

let site: Site;

beforeEach(async () => {
  site = await openSite();
  await site.addField('Note', { text_length: 10 });
});
afterEach(() => site.close());

async function pages(contacts: object = {}) {
  const connector = await site.open({ contacts });
  return (await collect(connector.readPages(null))).flatMap((page) => page.contacts);
}

describe('reading people from CiviCRM', () => {
  it('leaves out organizations and the trash', async () => {
    const [ada = '', ben = ''] = await site.addContacts([ADA, BEN]);
    await site.trash(ben);
    expect((await pages()).map(({ id }) => id)).toEqual([ada]);
  });

  it('excludes the deceased, and takes no mark about mail for an opt-out', async () => {
    const [ada = '', ben = ''] = await site.addContacts([ADA, BEN]);
    await site.setValue(ada, 'is_deceased', true);
    for (const mark of ['do_not_mail', 'do_not_trade', 'is_opt_out']) {
      await site.setValue(ben, mark, true);
    }
    const [deceased, marked] = await pages();
    expect(deceased).toMatchObject({ id: ada, excluded: 'deceased' });
    expect(marked).toMatchObject({ id: ben, optedOut: false });
    expect(marked?.excluded ?? null).toBeNull();
    const [, chosen] = await pages({ doNotContactField: 'do_not_trade' });
    expect(chosen).toMatchObject({ id: ben, excluded: 'do_not_contact' });
  });

  it('knows the employer by the text in the contact if the employer itself is hidden', async () => {
    const [ada = ''] = await site.addContacts([ADA]);
    await site.control('POST', 'edit', {
      ...{ action: 'update', id: Number(ada), values: { employer_id: 1 } },
    });
    expect((await pages())[0]?.employers).toEqual(['Riverside Food Bank']);
    await site.hide(['1']);
    expect((await pages())[0]?.employers).toEqual(['Acme']);
    await site.setValue(ada, 'organization_name', null);
    expect((await pages())[0]).toMatchObject({ employers: [], unreadable: ['employer'] });
  });

  it('says that addresses cannot be read on a site that does not show them', async () => {
    await site.addContacts([ADA]);
    await site.vary({ primaryJoins: false });
    const connector = await site.open();
    expect(connector.identity?.().sources[0]).toMatchObject({ readable: false });
    expect((await pages())[0]).toMatchObject({ addresses: [], unreadable: ['address_primary'] });
  });

  it('tells a hidden contact from a deleted one, and a merged one from both', async () => {
    const [hidden = '', deleted = '', merged = '', winner = ''] = await site.addContacts([
      ...[ADA, BEN, ADA, BEN],
    ]);
    await site.hide([hidden]);
    await site.trash(deleted);
    await site.merge(merged, winner);
    const connector = await site.open();
    const states = await connector.readByIds([hidden, deleted, merged], []);
    expect(states).toEqual([
      { state: 'missing', id: hidden },
      { state: 'removed', id: deleted, mergedInto: null },
      { state: 'removed', id: merged, mergedInto: winner },
    ]);
    await site.withdraw('access deleted contacts');
    expect((await connector.readByIds([deleted], []))[0]).toEqual({
      state: 'missing',
      id: deleted,
    });
  });

  it('does not take a field that the user may no longer see for a blank one', async () => {
    const [ada = ''] = await site.addContacts([ADA]);
    const connector = await site.open();
    await site.withdraw('access all custom data');
    await expect(connector.readByIds([ada], ['Test.Note'])).rejects.toMatchObject({
      code: 'crm_field_missing',
    });
  });

  it('refuses a filter that is none, or that CiviCRM does not understand', async () => {
    for (const filter of ['last_name = Hall', '[["no_such_field", "=", 1]]', '[["id", "DROP"]]']) {
      await expect(site.open({ contacts: { filter } })).rejects.toMatchObject({
        code: 'crm_filter_invalid',
      });
    }
  });

  it('reads the members of a smart group', async () => {
    const [ada = ''] = await site.addContacts([ADA, BEN]);
    await site.addGroup('Adas', [], [['first_name', '=', 'Ada']]);
    const connector = await site.open();
    expect((await collect(connector.readGroup({ group: 'Adas' }))).flat()).toEqual([ada]);
  });
});

describe('writing to CiviCRM', () => {
  it('sends the ID and our fields only', async () => {
    const [ada = ''] = await site.addContacts([ADA]);
    const before = await site.record(ada);
    const connector = await site.open();
    await collect(connector.write([{ id: ada, values: { 'Test.Note': 'ours' } }]));
    const { modified_date: _, 'Test.Note': note, custom_1: __, ...after } = await site.record(ada);
    const { modified_date: ___, 'Test.Note': ____, custom_1: _____, ...former } = before;
    expect(note).toBe('ours');
    expect(after).toEqual(former);
  });

  it('never acknowledges a value that CiviCRM cuts off', async () => {
    await site.vary({ tellsLengths: false });
    const [ada = ''] = await site.addContacts([ADA]);
    const connector = await site.open();
    const values = { 'Test.Note': 'longer than ten' };
    expect(await collect(connector.write([{ id: ada, values }]))).toMatchObject([
      { status: 'refused', code: 'VALUE_STORED_DIFFERENTLY', cause: 'rule', retriable: false },
    ]);
  });

  it('leaves out what does not fit, and writes the rest', async () => {
    await site.addField('Count', { data_type: 'Int' });
    await site.addField('Rating', { html_type: 'Select', option_values: { a: 'High' } });
    const [ada = ''] = await site.addContacts([ADA]);
    const connector = await site.open();
    const values = {
      ...{ 'Test.Note': 'longer than ten', 'Test.Count': 3_000_000_000, 'Test.Rating': 'b' },
    };
    const results = await collect(
      connector.write([{ id: ada, values: { ...values, 'Test.Nothing': 'x' } }]),
    );
    expect(results).toMatchObject([{ status: 'refused', cause: 'does_not_fit' }]);
    const more = await collect(
      connector.write([{ id: ada, values: { 'Test.Count': 3_000_000_000, 'Test.Note': 'x' } }]),
    );
    expect(more).toMatchObject([
      { status: 'written_in_part', refusals: [{ fields: ['Test.Count'], cause: 'does_not_fit' }] },
    ]);
  });

  it('restores all values of another person if one of them is not stored', async () => {
    await site.addField('Loud');
    await site.vary({ tellsLengths: false });
    const [ada = ''] = await site.addContacts([ADA]);
    await site.setValue(ada, 'Test.Note', 'former');
    const connector = await site.open();
    await site.control('POST', 'rules', { kind: 'upperCase', field: 'Test.Loud' });
    const values = { 'Test.Note': 'ours', 'Test.Loud': 'ours' };
    const results = await collect(connector.write([{ id: ada, values, together: true }]));
    expect(results).toMatchObject([{ status: 'refused', fields: ['Test.Loud'] }]);
    expect(await site.record(ada)).toMatchObject({ 'Test.Note': 'former', 'Test.Loud': null });
  });

  it('says that a contact may not be edited, and that a refusal has no reason', async () => {
    const [ada = '', ben = ''] = await site.addContacts([ADA, BEN]);
    await site.control('POST', 'rules', { kind: 'refuse', ids: [Number(ben)] });
    const connector = await site.open();
    const changes = [ada, ben].map((id) => ({ id, values: { 'Test.Note': 'x' } }));
    const [, refused] = await collect(connector.write(changes));
    expect(refused).toMatchObject({ status: 'refused', code: 'API_ERROR', retriable: false });
    await site.withdraw('edit all contacts');
    const [denied] = await collect(connector.write([{ id: ada, values: { 'Test.Note': 'y' } }]));
    expect(denied).toMatchObject({ code: 'NOT_ALLOWED', cause: 'no_permission' });
  });

  it('stops at the page of a firewall, because it says nothing about a contact', async () => {
    const [ada = ''] = await site.addContacts([ADA]);
    const connector = await site.open();
    await site.putFaults([{ on: { path: '*/Contact/save' }, fault: { kind: 'firewall' } }]);
    const writing = collect(connector.write([{ id: ada, values: { 'Test.Note': 'x' } }]));
    await expect(writing).rejects.toMatchObject({ code: 'crm_request_refused' });
  });

  it('creates fields with types in which amounts fit, and reads what was written', async () => {
    const [ada = ''] = await site.addContacts([ADA]);
    const connector = await site.open();
    const about = { label: 'Worth', description: 'From the service.' };
    const specs = [
      { ...about, name: 'Donor_Sync.Worth', type: 'currency' },
      { ...about, name: 'Donor_Sync.Bio', type: 'text', maxLength: 4_000 },
    ] as const;
    expect((await connector.createFields(specs)).map(({ result }) => result)).toEqual([
      ...['created', 'created'],
    ]);
    const values = { 'Donor_Sync.Worth': 12_500_000_000, 'Donor_Sync.Bio': 'x'.repeat(3_000) };
    expect(await collect(connector.write([{ id: ada, values }]))).toEqual([
      { status: 'written', id: ada },
    ]);
    expect(getValues((await connector.readByIds([ada], Object.keys(values)))[0])).toEqual(values);
    await site.withdraw('administer CiviCRM');
    const [failed] = await connector.createFields([{ ...specs[0], name: 'Donor_Sync.More' }]);
    expect(failed).toMatchObject({ result: 'failed' });
  });

  it.each([
    ['USD', undefined],
    ['EUR', { code: 'EUR', mode: 'usdOnly' }],
  ])("gives amounts the site's currency (%s)", async (currency, money) => {
    await site.addField('Worth', { data_type: 'Money' });
    await site.vary({ currency });
    const fields = await (await site.open()).describeFields();
    const worth = fields.find(({ name }) => name === 'Test.Worth');
    if (money === undefined) expect(worth).not.toHaveProperty('money');
    else expect(worth?.money).toMatchObject(money);
  });
});

describe('doctor', () => {
  it('counts the marks about contacting people, and asks what they mean', async () => {
    const [ada = ''] = await site.addContacts([ADA]);
    await site.setValue(ada, 'do_not_mail', true);
    const marks = (await site.check()).find(({ subject }) => subject === 'Marks');
    expect(marks).toMatchObject({ ok: true });
    expect(marks?.message).toContain('do_not_mail (no letters): 1');
  });

  it('says that no person is visible, and that none can be edited', async () => {
    const causes = async () =>
      (await site.check()).filter(({ ok }) => !ok).map(({ cause }) => cause);
    expect(await causes()).toEqual(['crm_contacts_hidden']);
    await site.addContacts([ADA]);
    expect(await causes()).toEqual([]);
    await site.withdraw('edit all contacts');
    expect(await causes()).toEqual(['crm_contacts_not_editable']);
  });

  it('lists what was not verified on a real site, as the guide does', async () => {
    const guide = await readFile('docs/guides/getting-started-civicrm.md', 'utf8');
    const findings = await site.check();
    for (const { assumed, otherwise } of NOT_VERIFIED) {
      expect(guide).toContain(`| ${assumed} | ${otherwise} |`);
      expect(findings.some(({ message }) => message.includes(assumed))).toBe(true);
    }
  });

  it('reports a site whose PHP prints warnings into its responses', async () => {
    await site.vary({ phpWarnings: true });
    expect((await site.check()).some(({ ok }) => !ok)).toBe(true);
  });
});

describe('addresses of a site', () => {
  it.each([
    ['drupal', true, '/civicrm/ajax/api4/Contact/getFields', '/civicrm/contact/view?reset=1&cid=7'],
    ['joomla', true, '/index.php', '/administrator/index.php?option=com_civicrm'],
    ['wordpress', false, '/index.php', '/wp-admin/admin.php?page=CiviCRM&q=civicrm'],
  ])('fit its system (%s)', async (system, cleanUrls, path, page) => {
    const connector = await site.open({}, { system, cleanUrls });
    await connector.describeFields();
    const { requests } = Object(await site.control('GET', 'requests'));
    expect(requests.at(-1)).toMatchObject({ status: 200 });
    expect(requests.map((request: { path: string }) => request.path)).toContain(path);
    const settings = civicrmConnector.settingsSchema.parse({ ...site.settings, system });
    expect(civicrmConnector.recordUrl?.(settings, '7')).toContain(`${site.sandbox.baseUrl}${page}`);
  });

  it('have no page at their end', () => {
    const settings = { ...site.settings, url: 'https://crm.example.org/civicrm' };
    expect(civicrmConnector.settingsSchema.safeParse(settings).success).toBe(false);
  });
});
