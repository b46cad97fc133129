import { afterEach, describe, expect, it } from 'vitest';
import type { ContactsSettings } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const FIELD = 'Research__c';
const OPTIONS = ['Yes', 'No', 'Do not solicit'];

describe('opting out in Salesforce', () => {
  let org: Org;

  afterEach(() => org.close());

  it('takes those values of a picklist that the settings name, and no other', async () => {
    const ids = await open();
    await org.addPicklist(FIELD, OPTIONS);
    for (const [at, value] of ['Yes', 'No', 'Do not solicit', null].entries()) {
      await org.setValue(ids[at] ?? '', FIELD, value);
    }
    const optOutValues = ['No', 'Do not solicit'];
    expect(await optedOut(ids, { optOutValues })).toEqual([false, true, true, false]);
  });

  it.each([
    ['optOutField', 'optOut', { optOutValues: ['No'] }, null],
    ['deceasedField', 'deceased', { deceasedValues: ['No'] }, 'deceased'],
    ['doNotContactField', 'doNotContact', { doNotContactValues: ['No'] }, 'do_not_contact'],
  ] as const)(
    'lets a contact wait whose picklist has a value that no list of the settings has (%s)',
    async (setting, kind, lists, marked) => {
      const ids = await open();
      await org.addPicklist(FIELD, OPTIONS);
      for (const [at, value] of ['Yes', 'No', 'Do not solicit', null].entries()) {
        await org.setValue(ids[at] ?? '', FIELD, value);
      }
      const unmarkedValues = { [kind]: ['Yes'] };
      const contacts = { filter: null, optOutField: null, [setting]: FIELD, ...lists };
      const connector = await org.connector({}, {}, { ...contacts, unmarkedValues });
      const found = (await toArray(connector.readPages(null))).flatMap((page) => page.contacts);
      const byId = new Map(found.map((contact) => [contact.id, contact]));
      const excluded = ids.slice(0, 4).map((id) => byId.get(id)?.excluded ?? null);
      expect(excluded).toEqual([null, marked, 'mark_unknown', null]);
      expect(byId.get(ids[1] ?? '')?.optedOut).toBe(kind === 'optOut');
      await connector.close();
    },
  );

  it('takes any of the values of a picklist with several', async () => {
    const ids = await open();
    await org.addPicklist(FIELD, OPTIONS, 'MultiselectPicklist');
    for (const [at, value] of ['Yes', 'Yes;No', 'Do not solicit', null].entries()) {
      await org.setValue(ids[at] ?? '', FIELD, value);
    }
    expect(await optedOut(ids, { optOutValues: ['No'] })).toEqual([false, true, false, false]);
  });

  it.each(['Picklist', 'MultiselectPicklist'])(
    'refuses a %s without values before anything is read, and says what to write',
    async (type) => {
      await open();
      await org.addPicklist(FIELD, OPTIONS, type);
      const before = (await org.requests()).length;
      await expect(org.connector({}, {}, settings())).rejects.toMatchObject({
        kind: 'configuration',
        code: 'opt_out_values_missing',
        message: expect.stringMatching(
          /Research__c is a picklist.*"Yes", "No", "Do not solicit".*optOutValues: \["Yes", "No", "Do not solicit"\]/,
        ),
      });
      const asked = (await org.requests()).slice(before).map(({ path }) => path);
      expect(asked.filter((path) => path.includes('/query'))).toEqual([]);
    },
  );

  it('names a value that is no option, and the option that was probably meant', async () => {
    await open();
    await org.addPicklist(FIELD, OPTIONS);
    const contacts = settings({ optOutValues: ['No', 'do not solicit'] });
    await expect(org.connector({}, {}, contacts)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'opt_out_values_unknown',
      message: expect.stringMatching(
        /"do not solicit".*did you mean "Do not solicit".*"Yes", "No", "Do not solicit"/,
      ),
    });
  });

  it('refuses a value that is no option and like none, unless both lists are given', async () => {
    const ids = await open();
    await org.addPicklist(FIELD, OPTIONS);
    const gone = settings({ optOutValues: ['Legal hold'] });
    await expect(org.connector({}, {}, gone)).rejects.toMatchObject({
      code: 'opt_out_values_unknown',
      message: expect.stringContaining('"Legal hold" is not an option'),
    });
    // After a user deletes an option, the records keep its value.
    await org.setValue(ids[0] ?? '', FIELD, 'Legal hold');
    await org.setValue(ids[1] ?? '', FIELD, 'Yes');
    const both = { optOutValues: ['Legal hold'], unmarkedValues: { optOut: ['Yes'] } };
    expect((await optedOut(ids, both)).slice(0, 2)).toEqual([true, false]);
  });

  it('takes the values of a text too, whatever their letter case', async () => {
    const ids = await open();
    await org.addField(FIELD, { type: 'Text', length: 20 });
    for (const [at, value] of ['yes', 'NO', ' No ', null].entries()) {
      await org.setValue(ids[at] ?? '', FIELD, value);
    }
    expect(await optedOut(ids, { optOutValues: ['no'] })).toEqual([false, true, true, false]);
  });

  it('takes every text without values, as it says', async () => {
    const ids = await open();
    await org.addField(FIELD, { type: 'Text', length: 20 });
    await org.setValue(ids[0] ?? '', FIELD, 'asked by phone');
    expect(await optedOut(ids.slice(0, 2), {})).toEqual([true, false]);
  });

  it('refuses values of a checkbox, which has none', async () => {
    await open();
    const contacts = { ...settings({ optOutValues: ['true'] }), optOutField: 'DoNotCall' };
    await expect(org.connector({}, {}, contacts)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'opt_out_values_unknown',
      message: expect.stringMatching(
        /DoNotCall is not a picklist.*leave contacts.optOutValues out/,
      ),
    });
  });

  async function open(): Promise<string[]> {
    org = await openOrg();
    return org.addContacts(people(4));
  }

  function settings(more: Partial<ContactsSettings> = {}): ContactsSettings {
    return { filter: null, optOutField: FIELD, ...more };
  }

  async function optedOut(ids: readonly string[], more: Partial<ContactsSettings>) {
    const connector = await org.connector({}, {}, settings(more));
    const pages = await toArray(connector.readPages(null));
    const out = new Map(
      pages.flatMap((page) => page.contacts.map((one) => [one.id, one.optedOut])),
    );
    return ids.map((id) => out.get(id));
  }
});
