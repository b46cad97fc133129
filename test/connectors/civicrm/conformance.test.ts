import { describe, it } from 'vitest';
import { civicrmConnector } from '../../../connectors/civicrm/connector.ts';
import { type ConformanceHarness, testConnector } from '../../../connectors/testing/conformance.ts';
import { openSite } from './site.ts';

const ABILITIES = [
  'api',
  'groups',
  'newField',
  'vanish',
  'mergeContacts',
  'refuseWrites',
  'refuseField',
  'lock',
  'addBreakingGroup',
  'ids',
  'ownMarks',
  // CiviCRM has no ID of a site that every user can read, so the connector uses the site's address.
  'ownAddress',
] as const;

/** These sites differ from each other as much as possible. */
const SITES = {
  'an ordinary site': {},
  'a site with other ways': {
    ...{ saveMode: 'whole', strictSql: true, tellsLengths: false, trashChangesDate: true },
    ...{ triggers: false, timeZone: 'Asia/Kolkata', databaseZone: 'UTC' },
  },
} as const;

for (const [name, variants] of Object.entries(SITES)) {
  testConnector({ describe, it }, `CiviCRM (${name})`, () => civicrmHarness(variants), ABILITIES);
}

async function civicrmHarness(variants: object): Promise<ConformanceHarness> {
  const site = await openSite();
  await site.vary(variants);
  await site.addField('Note');
  await site.addField('Remark');
  await site.addField('Birthday', { data_type: 'Date', html_type: 'Select Date' });
  await site.addField('Points', { data_type: 'Money' });
  await site.addField('Visits', { data_type: 'Int' });
  await site.addField('Is_Known', { data_type: 'Boolean', html_type: 'Radio' });
  await site.addField('Interests', {
    ...{ html_type: 'CheckBox', serialize: 1 },
    option_values: ['arts', 'health', 'youth'].map((id) => ({ id, name: id, label: id })),
  });
  let groups = 0;

  return {
    open: site.open,
    check: site.check,
    api: { url: site.sandbox.baseUrl },
    addContacts: site.addContacts,
    async editContact(id, changes) {
      await site.editContact(id, changes);
    },
    async deleteContact(id) {
      await site.trash(id);
    },
    async setValue(id, field, value) {
      await site.setValue(id, field, value);
    },
    async seenValue(id, field) {
      const value = (await site.record(id))[field];
      if (value === null || value === undefined) return null;
      return String(value).replaceAll('&lt;', '<').replaceAll('&gt;', '>');
    },
    textFields: ['Test.Note', 'Test.Remark'],
    typedFields: [
      { name: 'Test.Birthday', value: '1962-03-04' },
      { name: 'Test.Points', value: 1_250_000.5 },
      { name: 'Test.Visits', value: 1_234_567 },
      { name: 'Test.Is_Known', value: true },
      { name: 'Test.Interests', value: 'arts;youth' },
    ],
    ownMarks: {
      async deceased(id) {
        await site.setValue(id, 'is_deceased', true);
      },
    },
    newField: { name: 'Fresh.Field', label: 'Fresh', type: 'text', description: 'A new field.' },
    contactsForThreePages: 250,
    filter: {
      text: '[["last_name", "=", "Lopez"]]',
      included: { firstName: 'Maria', lastName: 'Lopez', addresses: [], employers: [] },
      excluded: { firstName: 'Zoë', lastName: 'Hundred', addresses: [], employers: [] },
    },
    groups: { add: addGroup, unknown: { group: 'unknown group' } },
    async vanish(id) {
      await site.hide([id]);
    },
    async mergeContacts(loser, winner) {
      await site.merge(loser, winner);
    },
    async refuseWrites(id) {
      await site.control('POST', 'rules', { kind: 'refuse', ids: [Number(id)] });
    },
    async refuseField(id, field) {
      await site.control('POST', 'rules', { kind: 'refuseField', field, ids: [Number(id)] });
    },
    async lock(id, times) {
      await site.control('POST', 'rules', { kind: 'lock', ids: [Number(id)], times });
    },
    async addBreakingGroup(members) {
      const selector = await addGroup(members);
      await site.putFaults([
        { on: { path: '*/Contact/get' }, after: 1, fault: { kind: 'truncate' } },
      ]);
      return selector;
    },
    ids: {
      canonicalId: (text) => civicrmConnector.canonicalId?.(text) ?? null,
      otherForms: (id) => [`000${id}`, ` ${id} `],
      noIds: ['', '0', 'Maria', '97 51', '12345678901'],
    },
    close: site.close,
  };

  async function addGroup(members: readonly string[]) {
    groups += 1;
    await site.addGroup(`Group ${groups}`, members);
    return { group: `Group ${groups}` };
  }
}
