/**
 * Tests custom fields that only some kinds of contacts have. CiviCRM stores a value even in a field that the contact
 * does not have. No user would see the value.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { civicrmConnector } from '../../../connectors/civicrm/connector.ts';
import { testOptions } from '../../../connectors/testing/options.ts';
import { collect } from '../../../connectors/testing/readings.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { openSite, type Site } from './site.ts';

let site: Site;

beforeEach(async () => {
  site = await openSite();
  await site.addField('Note');
  await site.addCustomGroup('Firm', { extends: 'Organization' });
  await site.addCustomGroup('Everyone', { extends: 'Contact' });
  const ofDonors = { extends: 'Individual', extends_entity_column_value: ['Donor'] };
  await site.addCustomGroup('Donors', ofDonors);
  for (const group of ['Firm', 'Everyone', 'Donors']) {
    await site.addField('Remark', { 'custom_group_id.name': group });
  }
});
afterEach(() => site.close());

it('are left out if they belong to organizations', async () => {
  const [id = ''] = await site.addContacts(people(1));
  const connector = await site.open();
  const names = (await connector.describeFields()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['Test.Note', 'Everyone.Remark', 'Donors.Remark']));
  expect(names).not.toContain('Firm.Remark');
  const values = { 'Test.Note': 'ours', 'Firm.Remark': 'ours' };
  expect(await collect(connector.write([{ id, values }]))).toMatchObject([
    { status: 'written_in_part', refusals: [{ code: 'NO_SUCH_FIELD', fields: ['Firm.Remark'] }] },
  ]);
  expect((await site.record(id))['Firm.Remark']).toBeNull();
});

it('are not created next to the fields of organizations', async () => {
  const connector = await site.open();
  const about = { label: 'More', description: 'From the service.', type: 'text' } as const;
  const [created] = await connector.createFields([{ ...about, name: 'Firm.More' }]);
  expect(created).toMatchObject({
    result: 'failed',
    problem: expect.stringContaining('The custom group Firm is not for individuals'),
  });
  const [id = ''] = await site.addContacts(people(1));
  expect(Object.keys(await site.record(id))).not.toContain('Firm.More');
});

it('are named by doctor if they belong to a subtype and are mapped', async () => {
  await site.addContacts(people(1));
  const findOf = async (...fields: string[]) => {
    const options = testOptions(civicrmConnector, site.settings);
    const findings = await civicrmConnector.check({ ...options, uses: { fields, groups: [] } });
    return findings.find(({ subject }) => subject === 'Fields of a subtype');
  };
  expect(await findOf('Test.Note', 'Everyone.Remark')).toBeUndefined();
  const finding = await findOf('Test.Note', 'Donors.Remark');
  expect(finding).toMatchObject({ ok: true });
  expect(finding?.message).toContain('Donors.Remark');
  expect(finding?.message).not.toContain('Test.Note');
});
