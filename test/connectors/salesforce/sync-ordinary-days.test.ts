import { afterEach, describe, expect, it } from 'vitest';
import { salesforceConnector } from '../../../connectors/salesforce/connector.ts';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { listOpenQuestions } from '../../../src/decisions/statements/questions.ts';
import { createSyncWorld, type SyncWorld } from '../../helpers/sync-world.ts';
import { type AddressFields, verified } from '../../identity/address-tool.ts';
import { type Org, openOrg } from './org.ts';

const DONORS = 2_000;
const PEOPLE = 60;
const FIELDS = [{ from: 'netWorth.label', to: 'Title' }];

/** Tests whole runs in which the org shows less data than before, or writes the same data differently. */
describe('a sync with Salesforce', () => {
  const opened: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  it.each([
    ['MailingStreet', 'plain'],
    ['MailingPostalCode', 'plain'],
    ['npsp__Primary_Affiliation__c', 'npsp'],
  ] as const)(
    'spends nothing while access to %s is missing, and nothing when it returns',
    async (field, shape) => {
      const { org, world, spent } = await start(shape);
      await access(org, field, 'hidden');
      expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0 });
      await access(org, field, 'visible');
      expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0 });
      expect(await world.spent()).toBe(spent);
    },
  );

  it('spends nothing for access that is granted later', async () => {
    const { org, world, spent } = await start('npsp', 'npsp__Primary_Affiliation__c');
    await access(org, 'npsp__Primary_Affiliation__c', 'visible');
    expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('spends nothing on what an address tool writes overnight, nor when it is taken back', async () => {
    const { org, world, spent, ids } = await start('plain');
    const before = new Map<string, AddressFields>();
    for (const id of ids) {
      const address = await addressOf(org, id);
      if (address.street === '') continue;
      before.set(id, address);
      await writeAddress(org, id, verified(address));
    }
    expect(before.size).toBeGreaterThan(PEOPLE / 2);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0 });
    for (const [id, address] of before) await writeAddress(org, id, address);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0 });
    expect(await world.spent()).toBe(spent);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('pays once for a contact whose id is typed in its short form', async () => {
    const { world, spent, ids } = await start('plain');
    const [id = ''] = ids;
    await world.sync({ only: id.slice(0, 15) });
    await world.sync({ full: true });
    expect(await world.spent()).toBe(spent);
    expect(await findContacts(world.store.reader, 'riverside', [id.slice(0, 15)])).toEqual(
      new Map(),
    );
  });

  /** Starts an org in which every contact has a profile. */
  async function start(
    shape: 'plain' | 'npsp',
    hidden?: string,
  ): Promise<{ org: Org; world: SyncWorld; spent: number; ids: string[] }> {
    const org = await openOrg({ contacts: PEOPLE, donors: DONORS, shape });
    opened.push(org);
    if (hidden !== undefined) await access(org, hidden, 'hidden');
    const world = await createSyncWorld({
      service: { donors: DONORS },
      integration: { fields: FIELDS },
      open: (signal) => org.connector({}, { signal }),
      canonicalId: (text) => salesforceConnector.canonicalId?.(text) ?? null,
    });
    opened.push(world);
    const { status, contacts } = await world.sync();
    expect({ status, isMuch: contacts.submitted > PEOPLE / 2 }).toEqual({
      status: 'succeeded',
      isMuch: true,
    });
    const ids = (await org.people()).map(({ id }) => id);
    return { org, world, spent: await world.spent(), ids };
  }
});

function access(org: Org, field: string, access: 'hidden' | 'visible'): Promise<unknown> {
  return org.control('PUT', 'field-access', { type: 'Contact', field, access });
}

async function addressOf(org: Org, id: string): Promise<AddressFields> {
  const part = async (name: string) => String((await org.seenValue(id, `Mailing${name}`)) ?? '');
  return {
    street: await part('Street'),
    city: await part('City'),
    state: await part('State'),
    postalCode: await part('PostalCode'),
    country: await part('Country'),
  };
}

async function writeAddress(org: Org, id: string, address: AddressFields): Promise<void> {
  await org.edit({
    action: 'update',
    id,
    values: {
      MailingStreet: address.street,
      MailingCity: address.city,
      MailingState: address.state,
      MailingPostalCode: address.postalCode,
      MailingCountry: address.country,
    },
  });
}
