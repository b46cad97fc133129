import { afterEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import type { HubspotSandboxOptions } from '../../../sandbox/hubspot/index.ts';
import { findContacts } from '../../../src/contacts/contacts.ts';
import type { RunReport } from '../../../src/core/run.ts';
import { undoRun } from '../../../src/fields/undo.ts';
import { openCrm } from '../../../src/sync/control/crm-account.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import { createSyncWorld, type SyncWorld } from '../../helpers/sync-world.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';

const DONOR_ID = 'donor_id';
const fieldsOf = (label: string) => [
  { from: 'donorId', to: DONOR_ID },
  { from: 'netWorth.label', to: label },
];

/**
 * The number of donors that the service knows. It generates the contacts too, so contacts and donors are the same
 * people.
 */
const DONORS = 2_000;

const PEOPLE = 250;

const UPDATE = { on: { path: '*/batch/update' } };

/** Tests whole runs, from an account to the service and back. */
describe('a sync with HubSpot', () => {
  const open: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it('brings profiles into the account, and finds nothing to do afterwards', async () => {
    const { account, world } = await start(PEOPLE);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'succeeded', contacts: { read: PEOPLE, waiting: 0 } });
    expect(report.contacts.written).toBeGreaterThan(180);
    expect(await enhanced(account)).toHaveLength(report.contacts.written);
    const spent = await world.spent();
    // The next run finds only the changes of donor-sync itself.
    expect((await world.sync()).contacts).toMatchObject({ chosen: 0, written: 0 });
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('takes the profile of two merged contacts to the new one, without a second credit', async () => {
    const { account, world } = await start(30);
    expect((await world.sync()).status).toBe('succeeded');
    const [first = { id: '', donorId: '' }] = await enhanced(account);
    const { firstName, lastName } = await personOf(account, first.id);
    const [other = ''] = await account.create('contacts', [
      { firstname: firstName, lastname: lastName },
    ]);
    const merged = await account.mergeContacts(other, first.id, true);
    const spent = await world.spent();
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0 });
    expect(await account.seenValue(merged, DONOR_ID)).toBe(first.donorId);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('writes all but the refused value, and takes back what it wrote', async () => {
    const property = 'wealth';
    const { account, world } = await start(60, {}, undefined, {}, property);
    const rule = { kind: 'validation', property, pattern: '^(?!\\$1M)', message: 'Not so.' };
    await account.control('POST', 'rules', rule);
    const report = await world.sync();
    const wrote = await enhanced(account);
    expect(report).toMatchObject({ status: 'succeeded', contacts: { waiting: 0 } });
    expect(wrote).toHaveLength(report.contacts.written);
    const rows = await findContacts(
      world.store.reader,
      'riverside',
      wrote.map(({ id }) => id),
    );
    const parts = [...rows.values()].filter(
      ({ outcomeReason }) => outcomeReason === 'fields_written_some_refused',
    );
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.length).toBeLessThan(wrote.length / 2);
    const [part] = parts;
    expect(part?.outcomeDetail).toContain(property);
    expect(part?.ownedValues).not.toContain(property);
    expect(await account.seenValue(part?.crmId ?? '', property)).toBeNull();
    // The earlier runs have done all work, so the next run has nothing to do.
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
    const undone = await undo(world, report.id);
    const whole = wrote.length - parts.length;
    expect(undone.contacts).toEqual({ restored: wrote.length, gone: 0, refused: 0 });
    expect(undone.fields).toEqual({ restored: 2 * whole + parts.length, editedSince: 0 });
    expect(await enhanced(account)).toEqual([]);
  });

  it('needs at most three times the requests where a rule refuses a fifth', async () => {
    // Without full batches, the number of requests would depend on the machine's load.
    const inFullBatches = (connector: Connector): Connector => ({
      ...connector,
      capabilities: {
        ...connector.capabilities,
        writeBatch: { preferred: 100, bulk: 50, max: 100 },
      },
    });
    const rule = { kind: 'validation', property: DONOR_ID, pattern: '[^05]$', message: 'Not so.' };
    const requests: number[] = [];
    for (const rules of [[], [rule]]) {
      const { account, world } = await start(800, {}, inFullBatches, {}, 'wealth');
      for (const each of rules) await account.control('POST', 'rules', each);
      const before = (await account.requests()).length;
      const { contacts } = await world.sync();
      expect(contacts).toMatchObject({ waiting: 0 });
      expect(contacts.written).toBeGreaterThan(180);
      requests.push((await account.requests()).length - before);
    }
    const [usual = 0, withRule = 0] = requests;
    expect(withRule).toBeLessThanOrEqual(3 * usual);
  });

  it('counts a contact as gone that is archived while its profile is written', async () => {
    let gone: string | null = null;
    const { account, world } = await start(30, {}, (connector) => ({
      ...connector,
      async *write(changes) {
        const all = await toArray(changes);
        gone ??= all[0]?.id ?? null;
        if (gone !== null && gone === all[0]?.id) await account.archiveContact(gone);
        yield* connector.write(all);
      },
    }));
    expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { failed: 1 } });
    const spent = await world.spent();
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, written: 0, failed: 0 });
    expect(await world.spent()).toBe(spent);
    const row = (await findContacts(world.store.reader, 'riverside', [gone ?? ''])).get(gone ?? '');
    expect(row).toMatchObject({ outcomeReason: 'deleted_in_crm' });
  });

  it('stops when a token ends that cannot be renewed, and goes on with a new one', async () => {
    const settings: Record<string, unknown> = {};
    const { account, world } = await start(PEOPLE, settings);
    await account.putFaults([{ ...UPDATE, fault: { kind: 'invalidAuthentication' } }]);
    const stopped = await world.sync();
    expect(stopped).toMatchObject({ status: 'incomplete', reason: { code: 'crm_unauthorized' } });
    expect(stopped.contacts).toMatchObject({ written: 0 });
    await account.putFaults([]);
    settings['auth'] = { type: 'token', token: await account.issueToken({}) };
    await expectToGoOn(account, world, stopped);
  });

  it('stops at the reserve of the daily requests, leaves it alone, and goes on the day after', async () => {
    const { account, world } = await start(PEOPLE, {}, undefined, { dailyLimit: 1_000 });
    await account.control('PUT', 'api-usage', { used: 797 });
    const stopped = await world.sync();
    expect(stopped).toMatchObject({ status: 'incomplete', reason: { code: 'crm_limit_reached' } });
    expect(stopped.contacts.written).toBe(0);
    await account.control('PUT', 'api-usage', { used: 0 });
    await expectToGoOn(account, world, stopped);
  });

  it('stops when HubSpot says that the day is over, and goes on the day after', async () => {
    const { account, world } = await start(PEOPLE);
    await account.putFaults([{ ...UPDATE, fault: { kind: 'dailyLimit' } }]);
    const stopped = await world.sync();
    expect(stopped).toMatchObject({ status: 'incomplete', reason: { code: 'crm_limit_reached' } });
    await account.putFaults([]);
    await expectToGoOn(account, world, stopped);
  });

  it('loses no contact when HubSpot is busy again and again', async () => {
    const { account, world } = await start(60);
    await account.putFaults([
      { every: 3, on: { path: '/crm/*' }, fault: { kind: 'gatewayError', status: 503 } },
      { every: 4, on: { path: '/crm/*' }, fault: { kind: 'tenSecondlyLimit' } },
      { every: 5, on: { path: '/crm/*' }, fault: { kind: 'resetAfter' } },
    ]);
    const { status, contacts } = await world.sync();
    expect({ status, waiting: contacts.waiting }).toEqual({ status: 'succeeded', waiting: 0 });
    expect(await enhanced(account)).toHaveLength(contacts.written);
    expect(contacts.written).toBeGreaterThan(40);
  });

  async function start(
    contacts: number,
    settings: Record<string, unknown> = {},
    around: (connector: Connector) => Connector = (connector) => connector,
    options: HubspotSandboxOptions = {},
    label = 'jobtitle',
  ): Promise<{ account: Account; world: SyncWorld }> {
    const account = await openAccount({ contacts, donors: DONORS, ...options });
    open.push(account);
    await account.createProperty({ name: DONOR_ID });
    if (label !== 'jobtitle') await account.createProperty({ name: label });
    const world = await createSyncWorld({
      service: { donors: DONORS },
      integration: { fields: fieldsOf(label) },
      open: async (signal) => around(await account.connector(settings, { signal })),
    });
    open.push(world);
    return { account, world };
  }
});

function undo({ deps, integration }: SyncWorld, runId: string) {
  const all = deps();
  return withLease(all, integration.id, async (lease) =>
    undoRun(await openCrm(all, lease), lease, runId),
  );
}

/** Expects that the next run delivers all profiles and does not pay for any contact twice. */
async function expectToGoOn(account: Account, world: SyncWorld, stopped: RunReport): Promise<void> {
  const { status, contacts } = await world.sync();
  expect({ status, waiting: contacts.waiting }).toEqual({ status: 'succeeded', waiting: 0 });
  expect((await enhanced(account)).length).toBeGreaterThan(180);
  const spent = await world.spent();
  expect(spent).toBe(stopped.contacts.submitted + contacts.submitted);
  expect(spent).toBeLessThanOrEqual(PEOPLE);
  expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
}

/** Returns the contacts of the account that have a profile. */
async function enhanced(account: Account): Promise<{ id: string; donorId: string }[]> {
  const all: { id: string; donorId: string }[] = [];
  for (const { id } of await account.people()) {
    const donorId = await account.seenValue(id, DONOR_ID);
    if (donorId !== null) all.push({ id, donorId });
  }
  return all;
}

async function personOf(account: Account, id: string) {
  return {
    firstName: await account.seenValue(id, 'firstname'),
    lastName: await account.seenValue(id, 'lastname'),
  };
}
