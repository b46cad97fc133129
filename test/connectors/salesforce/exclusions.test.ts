import { afterEach, describe, expect, it } from 'vitest';
import type { Connector, ContactsSettings } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const PLAIN: ContactsSettings = { filter: null, optOutField: null };

/**
 * The connector uses the Bulk API from this number of contacts. The first value avoids the Bulk API, and the second
 * value always uses it.
 */
const APIS = [
  ['REST', 1_000_000],
  ['the Bulk API', 1],
] as const;

describe('who is left out by a mark of Salesforce', () => {
  let org: Org;

  afterEach(() => org.close());

  it.each(APIS)('knows the marks of the Nonprofit Success Pack (%s)', async (_, bulkThreshold) => {
    const [dead = '', silent = '', other = ''] = await open({ shape: 'npsp' });
    await org.setValue(dead, 'npsp__Deceased__c', true);
    await org.setValue(silent, 'npsp__Do_Not_Contact__c', true);
    // The Nonprofit Success Pack ticks both boxes. The product still recognises deceased contacts as deceased.
    expect(await org.seenValue(dead, 'npsp__Do_Not_Contact__c')).toBe(true);
    expect(await excluded([dead, silent, other], PLAIN, { bulkThreshold })).toEqual([
      'deceased',
      'do_not_contact',
      null,
    ]);
  });

  it.each(APIS)('knows what Individuals forbid, and their death (%s)', async (_, bulkThreshold) => {
    const ids = await open({ individuals: true });
    const marks = [
      { HasOptedOutProcessing: true },
      { HasOptedOutProfiling: true },
      { ShouldForget: true },
      { DeathDate: '2024-05-06' },
      { DeathDate: '2024-05-06', ShouldForget: true },
      { HasOptedOutSolicit: true },
    ];
    const individuals = await org.create(
      'Individual',
      marks.map((mark) => ({ LastName: 'Lopez', ...mark })),
    );
    for (const [at, id] of individuals.entries()) {
      await org.setValue(ids[at] ?? '', 'IndividualId', id);
    }
    expect(await excluded(ids.slice(0, 7), PLAIN, { bulkThreshold })).toEqual([
      'do_not_contact',
      'do_not_contact',
      'do_not_contact',
      'deceased',
      'deceased',
      null,
      null,
    ]);
  });

  it.each(APIS)('reads requests about the data of Individuals (%s)', async (_, bulkThreshold) => {
    const ids = await open({ individuals: true });
    const marks = [
      { ShouldForget: true },
      { ShouldForget: true, HasPrivacyHold: true },
      { HasOptedOutProfiling: true },
      { HasPrivacyHold: true },
      { HasOptedOutSolicit: true },
    ];
    const individuals = await org.create(
      'Individual',
      marks.map((mark) => ({ LastName: 'Lopez', ...mark })),
    );
    for (const [at, id] of individuals.entries()) {
      await org.setValue(ids[at] ?? '', 'IndividualId', id);
    }
    const none = { shouldForget: false, objectsToProfiling: false, isOnHold: false };
    const expected = [
      { ...none, shouldForget: true },
      { ...none, shouldForget: true, isOnHold: true },
      { ...none, objectsToProfiling: true },
      { ...none, isOnHold: true },
      undefined,
      undefined,
    ];
    const all = { ...PLAIN, includeDeceased: true, includeDoNotContact: true };
    for (const contacts of [PLAIN, all]) {
      const { lookups, read } = await seen(ids.slice(0, 6), contacts, { bulkThreshold });
      expect(lookups.map((contact) => contact?.privacy)).toEqual(expected);
      expect(read.map((contact) => contact?.privacy)).toEqual(expected);
      // donor-sync never sends contacts who have requested their erasure. No setting can change this rule.
      expect(read.slice(0, 2).map((contact) => contact?.excluded)).toEqual([
        'do_not_contact',
        'do_not_contact',
      ]);
    }
  });

  it('takes a date of death of an industry org for what it says', async () => {
    const [dead = '', other = ''] = await open({ deceasedDate: true });
    await org.setValue(dead, 'DeceasedDate', '2024-05-06T00:00:00.000Z');
    expect(await excluded([dead, other])).toEqual(['deceased', null]);
  });

  it('asks no more where Individuals cannot be read', async () => {
    const [id = ''] = await open({ individuals: true });
    await org.control('PUT', 'object-access', { type: 'Individual', access: 'hidden' });
    expect(await excluded([id])).toEqual([null]);
  });

  it.each(APIS)(
    'leaves those out whose Individual may not be seen (%s)',
    async (_, bulkThreshold) => {
      const [id = '', other = ''] = await open({ individuals: true });
      const [individual = ''] = await org.create('Individual', [{ LastName: 'Lopez' }]);
      await org.setValue(id, 'IndividualId', individual);
      await org.control('PUT', 'record-access', { id: individual, access: 'hidden' });
      expect(await excluded([id, other], PLAIN, { bulkThreshold })).toEqual([
        'do_not_contact',
        null,
      ]);
    },
  );

  it('knows further fields by the settings', async () => {
    const [dead = '', buried = '', silent = '', other = ''] = await open({ shape: 'npsp' });
    await org.addField('Died_On__c', { type: 'Date' });
    await org.addField('Quiet__c', { type: 'Checkbox', defaultValue: false });
    await org.setValue(dead, 'Died_On__c', '2024-05-06');
    await org.setValue(buried, 'npsp__Deceased__c', true);
    await org.setValue(silent, 'Quiet__c', true);
    const contacts = { ...PLAIN, deceasedField: 'Died_On__c', doNotContactField: 'Quiet__c' };
    expect(await excluded([dead, buried, silent, other], contacts)).toEqual([
      'deceased',
      'deceased',
      'do_not_contact',
      null,
    ]);
  });

  it.each(['deceasedField', 'doNotContactField'] as const)(
    'names a field of contacts.%s that it cannot see, and the one that was probably meant',
    async (setting) => {
      await open({ shape: 'npsp' });
      const contacts = { ...PLAIN, [setting]: 'npsp__Deceased_c' };
      await expect(org.connector({}, {}, contacts)).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_field_missing',
        message: expect.stringMatching(
          new RegExp(
            `npsp__Deceased_c.*did you mean "npsp__Deceased__c".*contacts.${setting}`,
            'i',
          ),
        ),
      });
    },
  );

  it('refuses a picklist as a mark, since "No" is an option too', async () => {
    await open({});
    await org.addPicklist('Alive__c', ['Yes', 'No']);
    const contacts = { ...PLAIN, deceasedField: 'Alive__c' };
    await expect(org.connector({}, {}, contacts)).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/Alive__c is a picklist.*checkbox or a date/),
    });
  });

  it('researches them all the same where the settings say so', async () => {
    const [dead = '', silent = ''] = await open({ shape: 'npsp', individuals: true });
    await org.setValue(dead, 'npsp__Deceased__c', true);
    await org.setValue(silent, 'npsp__Do_Not_Contact__c', true);
    expect(await excluded([dead, silent], { ...PLAIN, includeDeceased: true })).toEqual([
      // The pack also ticks the other box. The other box alone is still a reason for an exclusion.
      'do_not_contact',
      'do_not_contact',
    ]);
    expect(await excluded([dead, silent], { ...PLAIN, includeDoNotContact: true })).toEqual([
      'deceased',
      null,
    ]);
    const all = { ...PLAIN, includeDeceased: true, includeDoNotContact: true };
    expect(await excluded([dead, silent], all)).toEqual([null, null]);
  });

  it.each(APIS)(
    'ends in an error when a mark is hidden after the preparation (%s)',
    async (_, bulkThreshold) => {
      const ids = await open({ shape: 'npsp' });
      const connector = await prepared(PLAIN, { bulkThreshold });
      const hidden = { type: 'Contact', field: 'npsp__Deceased__c', access: 'hidden' };
      await org.control('PUT', 'field-access', hidden);
      const refusal = { kind: 'configuration', code: 'crm_request_refused' };
      await expect(toArray(connector.readPages(null))).rejects.toMatchObject(refusal);
      await expect(connector.readByIds(ids, [])).rejects.toMatchObject(refusal);
    },
  );

  it('costs a plain org no request', async () => {
    await open({});
    await prepared();
    const paths = (await org.requests()).map(({ path }) => path);
    expect(paths.filter((path) => path.includes('/describe'))).toHaveLength(1);
  });

  async function open(options: Parameters<typeof openOrg>[0]): Promise<string[]> {
    org = await openOrg({ bulkJobTimeMs: 0, ...options });
    return org.addContacts(people(8));
  }

  async function prepared(
    contacts: ContactsSettings = PLAIN,
    settings: { bulkThreshold?: number } = {},
  ): Promise<Connector> {
    const connector = await org.connector(settings, {}, contacts);
    return connector;
  }

  /**
   * Returns the reason for each contact's exclusion. Expects that a read of the pages and a look-up of the IDs find
   * the same reasons.
   */
  async function excluded(
    ids: readonly string[],
    contacts: ContactsSettings = PLAIN,
    settings: { bulkThreshold?: number } = {},
  ) {
    const { lookups, read } = await seen(ids, contacts, settings);
    const looked = lookups.map((contact) =>
      contact === undefined ? 'gone' : (contact.excluded ?? null),
    );
    expect(looked).toEqual(read.map((contact) => contact?.excluded ?? null));
    return looked;
  }

  /** Returns the contacts from a lookup by IDs, and from a full reading. */
  async function seen(
    ids: readonly string[],
    contacts: ContactsSettings,
    settings: { bulkThreshold?: number },
  ) {
    const connector = await prepared(contacts, settings);
    const pages = await toArray(connector.readPages(null));
    const byId = new Map(pages.flatMap((page) => page.contacts.map((one) => [one.id, one])));
    const found = await connector.readByIds(ids, []);
    return {
      lookups: found.map((lookup) => (lookup.state === 'found' ? lookup.contact : undefined)),
      read: ids.map((id) => byId.get(id)),
    };
  }
});
