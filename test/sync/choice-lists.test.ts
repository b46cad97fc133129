/**
 * Tests values that a CRM adds to a choice list later. An added value has no meaning until a user defines the meaning.
 */

import { afterEach, expect, it } from 'vitest';
import type { Connector, ContactsSettings, Finding } from '../../connectors/contract.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { openAccount } from '../connectors/hubspot/account.ts';
import { openOrg } from '../connectors/salesforce/org.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

const DONORS = 2_000;
const PEOPLE = 30;
const OPTIONS = ['Opted out', 'Fine'];
const NEW_OPTION = 'Do not research – legal';

interface Crm {
  /** The field with the marks, and the field that donor-sync writes. */
  mark: string;
  written: string;
  connector(contacts: ContactsSettings, signal: AbortSignal): Promise<Connector>;
  check(contacts: ContactsSettings): Promise<Finding[]>;
  setMark(id: string, value: string): Promise<unknown>;
  addOption(): Promise<unknown>;
  seenValue(id: string, field: string): Promise<unknown>;
  ids(): Promise<string[]>;
  close(): Promise<void>;
}

const CRMS: Record<string, () => Promise<Crm>> = {
  async Salesforce() {
    const mark = 'Research__c';
    const org = await openOrg({ contacts: PEOPLE, donors: DONORS });
    await org.addPicklist(mark, OPTIONS);
    return {
      ...{ mark, written: 'Department' },
      connector: (contacts, signal) => org.connector({}, { signal }, contacts),
      check: (contacts) => org.check({}, {}, contacts),
      setMark: (id, value) => org.setValue(id, mark, value),
      // The picklist is not restricted, so an import can contain a value that is not an option.
      addOption: async () => {},
      seenValue: org.seenValue,
      ids: async () => (await org.people()).map(({ id }) => id),
      close: org.close,
    };
  },
  async HubSpot() {
    const mark = 'research';
    const toOptions = (values: readonly string[]) => ({
      options: values.map((value, displayOrder) => ({ value, label: value, displayOrder })),
    });
    const account = await openAccount({ contacts: PEOPLE, donors: DONORS });
    const list = { name: mark, type: 'enumeration', fieldType: 'select', ...toOptions(OPTIONS) };
    await account.createProperty(list);
    const path = `/crm/properties/2026-09/contacts/${mark}`;
    return {
      ...{ mark, written: 'jobtitle' },
      connector: (contacts, signal) => account.connector({}, { signal }, contacts),
      check: (contacts) => account.check({}, {}, contacts),
      setMark: (id, value) => account.setValue(id, mark, value),
      addOption: () => account.ask('PATCH', path, toOptions([...OPTIONS, NEW_OPTION])),
      seenValue: account.seenValue,
      ids: async () => (await account.people()).map(({ id }) => id),
      close: account.close,
    };
  },
};

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const LISTS = [
  ['optOut', 'optOutField', 'optOutValues'],
  ['deceased', 'deceasedField', 'deceasedValues'],
  ['doNotContact', 'doNotContactField', 'doNotContactValues'],
] as const;

it.each(
  Object.keys(CRMS).flatMap((crm) =>
    LISTS.map(([kind, field, list]) => ({ crm, kind, field, list })),
  ),
)('$crm, $kind: nobody with it is sent, and nothing is deleted or reported', async (one) => {
  const crm = await (CRMS[one.crm] ?? CRMS['HubSpot'])?.();
  if (crm === undefined) throw new Error('There is no such CRM.');
  open.push(crm);
  const contacts: ContactsSettings = {
    ...{ filter: null, optOutField: null },
    ...{ [one.field]: crm.mark, [one.list]: ['Opted out'] },
    unmarkedValues: { [one.kind]: ['Fine'] },
  };
  let said = contacts;
  const world = await createSyncWorld({
    service: { donors: DONORS },
    integration: {
      fields: [{ from: 'netWorth.label', to: crm.written }],
      guards: { trial: { size: 0 } },
    },
    open: (signal) => crm.connector(said, signal),
  });
  open.push(world);
  const ids = await crm.ids();
  const [early = ''] = ids;
  // One contact gets the new value before the product buys any profile. A second contact gets the new value after the
  // product has written the second contact's values.
  await crm.addOption();
  await crm.setMark(early, NEW_OPTION);
  const first = await world.sync({ acceptMatchRate: true });
  expect(first).toMatchObject({ status: 'succeeded', contacts: { waiting: 1, skipped: 0 } });
  expect(await reasonOf(world, early)).toBe('mark_unknown');
  const later = (await enhanced(crm, ids))[0] ?? '';
  const value = await crm.seenValue(later, crm.written);
  const spent = await world.spent();
  await crm.setMark(later, NEW_OPTION);
  for (const full of [false, true]) {
    const { contacts: counts } = await world.sync({ full, acceptMatchRate: true });
    expect(counts).toMatchObject({ submitted: 0, written: 0, skipped: 0 });
  }
  // The product keeps the contact's profile and values, and treats the contact neither as opted out nor as deceased.
  expect(await crm.seenValue(later, crm.written)).toBe(value);
  expect(await keptProfiles(world, later)).toBe(1);
  const rows = await findContacts(world.store.reader, 'riverside', [early, later]);
  for (const { outcomeReason } of rows.values()) {
    expect(['opted_out', 'deceased', 'do_not_contact']).not.toContain(outcomeReason);
  }
  // `doctor` names the value and the number of contacts that wait because of it.
  expect(await crm.check(said)).toContainEqual(
    expect.objectContaining({
      subject: 'unknown marks',
      message: expect.stringContaining(`"${NEW_OPTION}" (2)`),
      fix: expect.stringContaining(`contacts.${one.list}`),
    }),
  );
  // After a user has defined the value's meaning, the first contact is submitted for one credit.
  said = { ...contacts, unmarkedValues: { [one.kind]: ['Fine', NEW_OPTION] } };
  const { contacts: after } = await world.sync({ full: true, acceptMatchRate: true });
  expect(after).toMatchObject({ submitted: 1, waiting: 0 });
  expect(await world.spent()).toBe(spent + 1);
});

async function reasonOf({ store }: SyncWorld, id: string): Promise<string | null> {
  return (await findContacts(store.reader, 'riverside', [id])).get(id)?.outcomeReason ?? null;
}

async function enhanced(crm: Crm, ids: readonly string[]): Promise<string[]> {
  const values = await Promise.all(ids.map((id) => crm.seenValue(id, crm.written)));
  return ids.filter((_, at) => String(values[at] ?? '').startsWith('$'));
}

async function keptProfiles({ database }: SyncWorld, crmId: string): Promise<number> {
  const { count } = await database.db
    .selectFrom('kept_profiles')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('crm_id', '=', crmId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
