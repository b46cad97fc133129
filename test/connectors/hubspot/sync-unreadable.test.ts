import { afterEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { createSyncWorld, type SyncWorld } from '../../helpers/sync-world.ts';
import { type Account, openAccount } from './account.ts';

const DONORS = 2_000;
const PEOPLE = 120;
const EMPLOYED = 40;
const READ_COMPANIES = 'crm.objects.companies.read';
const FIELDS = [{ from: 'netWorth.label', to: 'jobtitle' }];

/** Tests whole runs in which HubSpot shows less data than before. */
describe('a sync with HubSpot that cannot read everything', () => {
  const open: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it('spends nothing while companies are hidden, and nothing when they come back', async () => {
    const { account, world, spent } = await start();
    await account.withdraw([READ_COMPANIES]);
    const hidden = await world.sync({ full: true });
    expect(hidden).toMatchObject({ status: 'succeeded', contacts: { submitted: 0 } });
    await account.withdraw([]);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('spends nothing when companies are hidden in the middle of a run', async () => {
    let withdraw = false;
    const { account, world, spent } = await start((connector, { withdraw: take }) => ({
      ...connector,
      async *readPages(cursor) {
        for await (const page of connector.readPages(cursor)) {
          if (withdraw) await take([READ_COMPANIES]);
          yield page;
        }
      },
    }));
    withdraw = true;
    expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0 });
    withdraw = false;
    await account.withdraw([]);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('spends nothing for the scope that is given later', async () => {
    const { account, world, spent } = await start(undefined, [READ_COMPANIES]);
    await account.withdraw([]);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('stops where a company cannot be read in passing, and spends nothing then and later', async () => {
    const { account, world, spent, companyIds } = await start();
    const rule = { kind: 'unreadable', type: 'companies', ids: companyIds, times: 1 };
    await account.control('POST', 'rules', rule);
    const stopped = await world.sync({ full: true });
    expect(stopped).toMatchObject({ status: 'incomplete', reason: { code: 'crm_unavailable' } });
    expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it.each(['zip', 'company'])(
    'spends nothing while a property is hidden, and nothing when it comes back (%s)',
    async (property) => {
      const { account, world, spent } = await start();
      await account.hide(property);
      expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0 });
      await account.hide(property, 'visible');
      expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 0 });
      expect(await world.spent()).toBe(spent);
    },
  );

  /** Starts an account in which every contact has a profile. Some of the contacts work for a company. */
  async function start(
    around: (connector: Connector, account: Account) => Connector = (connector) => connector,
    withdrawn: readonly string[] = [],
  ): Promise<{ account: Account; world: SyncWorld; spent: number; companyIds: string[] }> {
    const account = await openAccount({ contacts: PEOPLE, donors: DONORS });
    open.push(account);
    const ids = (await account.people()).map(({ id }) => id).slice(0, EMPLOYED);
    for (const id of ids) await account.employ(id, `Company of ${id}`);
    const companies = ids.map((id) => account.seenValue(id, 'associatedcompanyid'));
    const companyIds = (await Promise.all(companies)).map((id) => id ?? '');
    await account.withdraw(withdrawn);
    const world = await createSyncWorld({
      service: { donors: DONORS },
      integration: { fields: FIELDS },
      open: async (signal) => around(await account.connector({}, { signal }), account),
    });
    open.push(world);
    const { status, contacts } = await world.sync();
    expect({ status, isMuch: contacts.submitted > EMPLOYED }).toEqual({
      status: 'succeeded',
      isMuch: true,
    });
    return { account, world, spent: await world.spent(), companyIds };
  }
});
