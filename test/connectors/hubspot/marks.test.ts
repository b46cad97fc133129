import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactsSettings } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import type { Contact } from '../../../src/core/contact.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';

const MARK = 'the_mark';

const FORMS = {
  checkbox: { type: 'bool', fieldType: 'booleancheckbox', options: options(['true', 'false']) },
  enumerated: {
    type: 'enumeration',
    fieldType: 'booleancheckbox',
    options: options(['true', 'false']),
  },
  text: {},
  number: { type: 'number', fieldType: 'number' },
  date: { type: 'date', fieldType: 'date' },
  yesOrNo: { type: 'enumeration', fieldType: 'radio', options: options(['Yes', 'No']) },
  coded: {
    type: 'enumeration',
    fieldType: 'select',
    options: [
      { value: 'opt_1', label: 'Yes' },
      { value: 'opt_2', label: 'No' },
    ],
  },
  picklist: {
    type: 'enumeration',
    fieldType: 'select',
    options: [
      ...options(['No', 'Email only', 'Never research']),
      { value: 'retired', label: 'Retired', hidden: true },
    ],
  },
  several: { type: 'enumeration', fieldType: 'checkbox', options: options(['Mail', 'Research']) },
};

describe('who is not asked about in HubSpot', () => {
  let account: Account;
  let connector: Connector;

  beforeEach(async () => {
    account = await openAccount();
  });

  afterEach(async () => {
    await connector?.close();
    await account.close();
  });

  async function start(form: keyof typeof FORMS, contacts: Partial<ContactsSettings>) {
    await account.createProperty({ name: MARK, ...FORMS[form] });
    connector = await account.connector({}, {}, contacts);
  }

  /** Reads the contacts from the list and by their IDs. Expects the same result from both. */
  async function read(values: readonly string[]): Promise<Contact[]> {
    const ids = await account.addContacts(people(values.length));
    for (const [at, id] of ids.entries()) await account.setValue(id, MARK, values[at] ?? '');
    const pages = await toArray(connector.readPages(null));
    const contacts = pages.flatMap((page) => page.contacts);
    const found = await connector.readByIds(ids, []);
    expect(found.map((one) => one.state === 'found' && one.contact)).toEqual(contacts);
    return contacts;
  }

  describe.each([
    ['deceasedField', 'deceased', 'includeDeceased'],
    ['doNotContactField', 'do_not_contact', 'includeDoNotContact'],
  ] as const)('contacts.%s', (setting, exclusion, include) => {
    it.each([
      ['checkbox', ['true', 'false', '']],
      ['enumerated', ['true', 'false', '']],
      ['text', ['Since 2019', 'No', '']],
      ['number', ['1', '0', '']],
      ['date', ['2019-03-04', '', '']],
      ['yesOrNo', ['Yes', 'No', '']],
      ['coded', ['opt_1', 'opt_2', '']],
    ] as const)('leaves out the contacts that it marks (%s)', async (form, values) => {
      await start(form, { [setting]: MARK });
      const contacts = await read(values);
      expect(contacts.map(({ excluded = null }) => excluded)).toEqual([exclusion, null, null]);
      expect(contacts.map(({ optedOut }) => optedOut)).toEqual([false, false, false]);
    });

    it('leaves no contact out where the settings include them', async () => {
      await start('checkbox', { [setting]: MARK, [include]: true });
      const [contact] = await read(['true']);
      expect(contact?.excluded ?? null).toBe(null);
    });

    it('is refused where the property is not there, with the one that is probably meant', async () => {
      await account.createProperty({ name: MARK });
      await expect(account.connector({}, {}, { [setting]: 'the_marc' })).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_field_missing',
        message: expect.stringMatching(
          new RegExp(`did you mean "${MARK}"\\?.*contacts\\.${setting}`),
        ),
      });
    });

    it('is refused where a picklist has values that mean neither yes nor no', async () => {
      await expect(start('picklist', { [setting]: MARK })).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_field_unsuitable',
        message: expect.stringContaining('Email only'),
      });
    });

    it('lets a contact wait with a value that was added to a list of yes and no', async () => {
      await start('yesOrNo', { [setting]: MARK });
      const added = { options: options(['Yes', 'No', 'Legal hold']) };
      await account.ask('PATCH', `/crm/properties/2026-09/contacts/${MARK}`, added);
      const excludedNow = async () =>
        (await read(['Yes', 'No', 'Legal hold'])).map(({ excluded = null }) => excluded);
      // The option was added in the middle of a run, so the connector does not know it yet.
      expect((await excludedNow()).slice(-3)).toEqual([exclusion, null, 'mark_unknown']);
      connector = await account.connector({}, {}, { [setting]: MARK });
      const contacts = (await toArray(connector.readPages(null))).flatMap((page) => page.contacts);
      expect(contacts.map(({ excluded = null }) => excluded)).toEqual([
        ...[exclusion, null, 'mark_unknown'],
      ]);
    });
  });

  it('calls a contact deceased that also wants no contact', async () => {
    await start('checkbox', { deceasedField: MARK, doNotContactField: MARK });
    expect((await read(['true']))[0]?.excluded).toBe('deceased');
  });

  it('still leaves out who wants no contact where the dead are included', async () => {
    const both = { deceasedField: MARK, doNotContactField: MARK };
    await start('checkbox', { ...both, includeDeceased: true });
    expect((await read(['true']))[0]?.excluded).toBe('do_not_contact');
  });

  describe('an opt-out picklist', () => {
    it('opts out by the values of the settings alone', async () => {
      await start('picklist', { optOutField: MARK, optOutValues: ['never research'] });
      const contacts = await read(['Never research', 'Email only', 'No', '']);
      expect(contacts.map(({ optedOut }) => optedOut)).toEqual([true, false, false, false]);
    });

    it('takes the values as they stand on the screen, and those that are hidden', async () => {
      await start('picklist', { optOutField: MARK, optOutValues: ['Retired'] });
      expect((await read(['retired', 'No'])).map(({ optedOut }) => optedOut)).toEqual([
        true,
        false,
      ]);
    });

    it('opts out if one of several picked values does', async () => {
      await start('several', { optOutField: MARK, optOutValues: ['Research'] });
      const contacts = await read(['Mail;Research', 'Mail']);
      expect(contacts.map(({ optedOut }) => optedOut)).toEqual([true, false]);
    });

    it.each(['picklist', 'yesOrNo', 'several'] as const)(
      'is refused without values, and the line to write is given (%s)',
      async (form) => {
        const values = FORMS[form].options.filter((option) => !('hidden' in option));
        await expect(start(form, { optOutField: MARK })).rejects.toMatchObject({
          kind: 'configuration',
          code: 'opt_out_values_missing',
          message: expect.stringContaining(
            `optOutValues: ${JSON.stringify(values.map(({ value }) => value))}`,
          ),
        });
      },
    );

    it('is refused where a value is none of its own and like none, unless both lists are given', async () => {
      const contacts = { optOutField: MARK, optOutValues: ['Legal hold'] };
      await expect(start('picklist', contacts)).rejects.toMatchObject({
        code: 'opt_out_values_unknown',
        message: expect.stringContaining('"Legal hold"'),
      });
      // After a user deletes an option, the records keep its value.
      const both = { ...contacts, unmarkedValues: { optOut: ['No', 'Not an option'] } };
      connector = await account.connector({}, {}, both);
      expect((await read(['No', 'Email only'])).map(({ excluded = null }) => excluded)).toEqual([
        ...[null, 'mark_unknown'],
      ]);
    });

    it('is refused where a value is none of its own, with the one that is probably meant', async () => {
      const contacts = { optOutField: MARK, optOutValues: ['Never reserch'] };
      await expect(start('picklist', contacts)).rejects.toMatchObject({
        code: 'opt_out_values_unknown',
        message: expect.stringContaining('did you mean "Never research"?'),
      });
    });
  });

  it.each([
    ['optOutField', 'optOut', { optOutValues: ['Never research'] }],
    ['deceasedField', 'deceased', { deceasedValues: ['Never research'] }],
    ['doNotContactField', 'doNotContact', { doNotContactValues: ['Never research'] }],
  ] as const)(
    'lets a contact wait whose picklist has a value that no list of the settings has (%s)',
    async (setting, kind, lists) => {
      const unmarkedValues = { [kind]: ['no'] };
      await start('picklist', { [setting]: MARK, ...lists, unmarkedValues });
      const contacts = await read(['Never research', 'No', 'Email only', '']);
      const isOut = contacts.map(({ optedOut, excluded = null }) => (optedOut ? kind : excluded));
      const word = { optOut: 'optOut', deceased: 'deceased', doNotContact: 'do_not_contact' }[kind];
      expect(isOut).toEqual([word, null, 'mark_unknown', null]);
    },
  );

  it.each(['text', 'checkbox'] as const)(
    'opts out by the values of the settings alone where they are given (%s)',
    async (form) => {
      await start(form, { optOutField: MARK, optOutValues: ['TRUE'] });
      expect((await read(['true', 'false', ''])).map(({ optedOut }) => optedOut)).toEqual([
        true,
        false,
        false,
      ]);
    },
  );

  it('is refused where values opt out, and no property is named that has them', async () => {
    await expect(account.connector({}, {}, { optOutValues: ['Yes'] })).rejects.toMatchObject({
      kind: 'configuration',
      code: 'opt_out_values_unknown',
      message: expect.stringContaining('contacts.optOutField'),
    });
  });

  it('takes a text that says no for no', async () => {
    await start('text', { optOutField: MARK });
    const contacts = await read(['Please do not', 'No', 'false', '0']);
    expect(contacts.map(({ optedOut }) => optedOut)).toEqual([true, false, false, false]);
  });
});

function options(values: readonly string[]) {
  return values.map((value) => ({ value, label: value }));
}
