import { afterEach, describe, expect, it } from 'vitest';
import { hubspotConnector } from '../../../connectors/hubspot/connector.ts';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { createMissingFields, readFields } from '../../../src/fields/describe.ts';
import { STATUS_STAGES } from '../../../src/fields/write-statuses.ts';
import { createSyncWorld, type SyncWorld } from '../../helpers/sync-world.ts';
import { type Account, openAccount } from './account.ts';

const DONORS = 2_000;
const STATUS = 'donor_sync_status';
const SINCE = 'donor_sync_status_date';
const UPDATES = /\/batch\/update$/;

/** Tests whole runs with the default field map. */
describe('the status of contacts in HubSpot', () => {
  const open: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  async function start(contacts: number): Promise<{ account: Account; world: SyncWorld }> {
    const account = await openAccount({ contacts, donors: DONORS });
    open.push(account);
    const world = await createSyncWorld({
      service: { donors: DONORS },
      integration: { fields: [...hubspotConnector.defaultFields] },
      open: (signal) => account.connector({}, { signal }),
    });
    open.push(world);
    return { account, world };
  }

  async function createProperties(account: Account, besides: readonly string[] = []) {
    const connector = await account.connector();
    const wanted = hubspotConnector.defaultFields.filter(({ to }) => !besides.includes(to));
    const created = await createMissingFields(connector, wanted);
    expect(created.filter(({ result }) => result !== 'created')).toEqual([]);
    await connector.close();
  }

  const updatesOf = async (account: Account) =>
    (await account.requests()).filter(({ path }) => UPDATES.test(path)).length;

  it('stands in each contact after the first run, and costs no update in a quiet night', async () => {
    const { account, world } = await start(60);
    await createProperties(account);
    const report = await world.sync({ stages: STATUS_STAGES });
    expect(report).toMatchObject({ status: 'succeeded', contacts: { waiting: 0 } });
    const statuses = new Map<string | null, number>();
    for (const { id } of await account.people()) {
      const status = await account.seenValue(id, STATUS);
      expect(await account.seenValue(id, SINCE)).toMatch(/^20\d\d-/);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(statuses.get('Written')).toBe(report.contacts.written);
    expect(statuses.get('Unknown')).toBeGreaterThan(0);
    expect(statuses.get(null)).toBeUndefined();
    const [spent, updates] = [await world.spent(), await updatesOf(account)];
    for (const full of [false, true]) await world.sync({ stages: STATUS_STAGES, full });
    expect(await updatesOf(account)).toBe(updates);
    expect(await world.spent()).toBe(spent);
  });

  it('leaves an account without the property as it was, and says how to create it', async () => {
    const { account, world } = await start(40);
    await createProperties(account, [STATUS, SINCE]);
    const report = await world.sync({ stages: STATUS_STAGES });
    expect(report).toMatchObject({ status: 'succeeded', contacts: { failed: expect.any(Number) } });
    const rows = await findContacts(
      world.store.reader,
      'riverside',
      (await account.people()).map(({ id }) => id),
    );
    for (const row of rows.values())
      expect(row.outcomeReason).not.toBe('fields_written_some_unfit');
    const connector = await account.connector();
    const { findings, optional } = await readFields(connector, hubspotConnector.defaultFields);
    expect(findings).toEqual([]);
    expect(optional).toMatchObject([
      { field: STATUS, problem: 'missing', fix: expect.stringContaining('fields create') },
      { field: SINCE, problem: 'missing' },
    ]);
    await connector.close();
    const spent = await world.spent();
    // If the property is created later, the next run fills it without spending a credit.
    await account.createProperty({ name: STATUS });
    const { contacts } = await world.sync({ stages: STATUS_STAGES });
    expect(contacts.submitted).toBe(0);
    expect(await world.spent()).toBe(spent);
    for (const { id } of await account.people()) {
      expect(await account.seenValue(id, STATUS)).toMatch(/^(Written|Unknown|Held)$/);
    }
  });

  it('is made with its words for options, and a net worth with bands', async () => {
    const { account, world } = await start(40);
    await createProperties(account);
    await world.sync({ stages: STATUS_STAGES });
    for (const [name, option] of [
      [STATUS, 'Opted out'],
      ['donor_net_worth', '$1M – $5M'],
    ]) {
      expect(await account.ask('GET', `/crm/properties/2026-09/contacts/${name}`)).toMatchObject({
        ...{ type: 'enumeration', groupName: 'donor_sync' },
        options: expect.arrayContaining([expect.objectContaining({ value: option })]),
      });
    }
    const enhanced: (string | null)[] = [];
    for (const { id } of await account.people()) {
      if ((await account.seenValue(id, STATUS)) !== 'Written') continue;
      enhanced.push(await account.seenValue(id, 'donor_net_worth'));
    }
    expect(enhanced.length).toBeGreaterThan(20);
    for (const band of enhanced) expect(band).toMatch(/^\$\d+[KMB]? – \$\d+[KMB]$/);
    const [{ id = '' } = {}] = await account.people();
    await expect(
      account.ask('PATCH', `/crm/objects/2026-09/contacts/${id}`, {
        properties: { [STATUS]: 'Erased' },
      }),
    ).rejects.toThrow('INVALID_OPTION');
  });
});
