import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector } from '../../../connectors/contract.ts';
import { countContactWork, findContacts } from '../../../src/contacts/contacts.ts';
import type { RunReport } from '../../../src/core/run.ts';
import { createSyncWorld, type SyncWorld } from '../../helpers/sync-world.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const DONOR_ID = 'Donor_ID__c';
const FIELDS = [
  { from: 'donorId', to: DONOR_ID },
  { from: 'netWorth.label', to: 'Department' },
];

/**
 * The number of donors that the service knows. It generates the contacts too, so contacts and donors are the same
 * people.
 */
const DONORS = 2_000;

/** The number is more than twice the smallest `bulkThreshold`, so a run is likely to use the Bulk API. */
const PEOPLE = 450;

interface Settings extends Record<string, unknown> {
  bulkThreshold?: number;
}

/** Tests whole runs, from an org to the service and back. */
describe('a sync with Salesforce', () => {
  const open: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it.each([
    ['REST', 1_000_000],
    // The number is smaller than one submission, so all jobs end together.
    ['the Bulk API', 50],
  ])(
    'brings profiles into the org, and finds nothing to do afterwards (%s)',
    async (_, bulkThreshold) => {
      const { org, world } = await start(PEOPLE, { bulkThreshold });
      const report = await world.sync();
      expect(report).toMatchObject({ status: 'succeeded', contacts: { read: PEOPLE, waiting: 0 } });
      expect(report.contacts.written).toBeGreaterThan(350);
      expect((await enhanced(org)).length).toBe(report.contacts.written);
      const jobs = (await org.requests()).filter(({ path }) => path.includes('/jobs/ingest'));
      expect(jobs.length > 0).toBe(bulkThreshold === 50);
      const spent = await world.spent();
      expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
      expect(await world.spent()).toBe(spent);
    },
  );

  it('reads a large org to its end in a night without a count and without the Bulk API', async () => {
    const people = 2_300;
    const { org, world } = await start(people, { bulkThreshold: 50 });
    await org.control('PUT', 'faults', [
      { on: { path: '/query' }, fault: { kind: 'queryTimeout', soql: 'SELECT count()' } },
      { on: { path: '/jobs/query', method: 'POST' }, fault: { kind: 'failQueryJob' } },
    ]);
    const report = await world.sync({ limit: 20 });
    expect(report.contacts).toMatchObject({ read: people });
    expect(report.reason).toMatchObject({ code: 'budget_reached' });
    const jobs = (await org.requests()).filter(
      ({ method, path }) => method === 'POST' && path.endsWith('/jobs/query'),
    );
    expect(jobs).toHaveLength(2);
  });

  it('submits nobody, not even contacts that are due, while it cannot see who was merged', async () => {
    let mayRead = true;
    const { org, world } = await start(PEOPLE, {}, (connector) => ({
      ...connector,
      async *readPages(cursor, known) {
        // A run that does not wait for the reading would send a submission within this second.
        if (!mayRead) await setTimeout(1_000);
        yield* connector.readPages(cursor, known);
      },
    }));
    await world.sync({ limit: 60, acceptMatchRate: true });
    mayRead = false;
    const spent = await world.spent();
    const { due } = await countContactWork(world.store.reader, 'riverside');
    expect(due).toBeGreaterThan(100);
    await org.control('PUT', 'faults', [
      { on: { path: '/queryAll' }, fault: { kind: 'queryTimeout', soql: 'IsDeleted = true' } },
    ]);
    const stopped = await world.sync();
    expect(stopped).toMatchObject({ status: 'incomplete', reason: { code: 'crm_unavailable' } });
    expect(stopped.contacts).toMatchObject({ read: 0, submitted: 0 });
    expect(await world.spent()).toBe(spent);
    await org.control('PUT', 'faults', []);
    expect((await world.sync()).status).toBe('succeeded');
    expect(await world.spent()).toBeGreaterThan(spent);
  });

  it('reads from the same place again after a night in which it could not see who was merged', async () => {
    const { org, world } = await start(60);
    await world.sync();
    const cursor = await cursorOf(world);
    expect(cursor).toContain('since');
    const spent = await world.spent();
    const [first = { id: '', donorId: '' }] = await enhanced(org);
    const [winner = ''] = await org.create('Contact', [await personOf(org, first.id)]);
    await org.mergeContacts(first.id, winner);
    await org.control('PUT', 'faults', [
      { on: { path: '/queryAll' }, fault: { kind: 'queryTimeout', soql: 'IsDeleted = true' } },
    ]);
    for (let night = 0; night < 2; night += 1) {
      const { status, contacts } = await world.sync();
      expect({ status, submitted: contacts.submitted }).toEqual({
        ...{ status: 'incomplete', submitted: 0 },
      });
      expect(await cursorOf(world)).toBe(cursor);
    }
    await org.control('PUT', 'faults', []);
    // The winner of the merge gets only the profile that donor-sync bought for the merged contact.
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0 });
    expect(await org.seenValue(winner, DONOR_ID)).toBe(first.donorId);
    expect(await world.spent()).toBe(spent);
  });

  it('takes the profile of a merged contact to the one that stays, without a second credit', async () => {
    const { org, world } = await start(30);
    expect((await world.sync()).status).toBe('succeeded');
    const [loser = { id: '', donorId: '' }] = await enhanced(org);
    const { firstName, lastName } = await personOf(org, loser.id);
    const [winner = ''] = await org.create('Contact', [
      { FirstName: firstName, LastName: lastName, MailingCity: 'Elsewhere' },
    ]);
    await org.mergeContacts(loser.id, winner);
    const spent = await world.spent();
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0, written: 1, skipped: 1 });
    expect(await org.seenValue(winner, DONOR_ID)).toBe(loser.donorId);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('counts a contact as gone that is deleted while its profile is written', async () => {
    let gone: string | null = null;
    const { org, world } = await start(30, {}, (connector) => ({
      ...connector,
      async *write(changes) {
        const all = await toArray(changes);
        gone ??= all[0]?.id ?? null;
        if (gone === all[0]?.id) await org.deleteContact(gone);
        yield* connector.write(all);
      },
    }));
    const first = await world.sync();
    expect(first).toMatchObject({ status: 'succeeded', contacts: { failed: 1 } });
    const spent = await world.spent();
    const { contacts } = await world.sync();
    expect(contacts).toMatchObject({ submitted: 0, written: 0, failed: 0 });
    expect(await world.spent()).toBe(spent);
    const row = (await findContacts(world.store.reader, 'riverside', [gone ?? ''])).get(gone ?? '');
    expect(row).toMatchObject({ outcomeReason: 'deleted_in_crm' });
  });

  it('signs in again when its session ends in the middle, and loses no contact', async () => {
    const { org, world } = await start(30);
    await org.control('PUT', 'faults', [
      { on: { path: '/query*' }, nth: 3, fault: { kind: 'expireTokens' } },
      { on: { path: '/composite*' }, nth: 1, fault: { kind: 'expireTokens' } },
    ]);
    const { status, contacts } = await world.sync();
    expect(status).toBe('succeeded');
    expect((await enhanced(org)).length).toBe(contacts.written);
    expect(await refusals(org, 401)).toBeGreaterThan(0);
  });

  it('stops when a token that cannot be renewed ends, and goes on with a new one', async () => {
    const settings: Settings = {};
    const { org, world } = await start(PEOPLE, settings);
    settings['auth'] = { type: 'token', token: org.sandbox.token };
    await org.control('PUT', 'faults', [
      { on: { path: '/composite*' }, nth: 1, fault: { kind: 'expireTokens' } },
    ]);
    const stopped = await world.sync();
    expect(stopped).toMatchObject({ status: 'incomplete', reason: { code: 'crm_unauthorized' } });
    expect(stopped.contacts).toMatchObject({ enhanced: 0, written: 0 });
    delete settings['auth'];
    await expectToGoOn(org, world, stopped);
  });

  it.each([
    ['REST', 1_000_000],
    ['the Bulk API', 200],
  ])(
    'stops when the org has no requests left, and goes on when it has some again (%s)',
    async (_, bulkThreshold) => {
      const { org, world } = await start(PEOPLE, { bulkThreshold });
      const rules = ['/composite*', '/jobs/*'].map((path) => ({
        on: { path },
        fault: { kind: 'requestLimit' },
      }));
      await org.control('PUT', 'faults', rules);
      const stopped = await world.sync();
      expect(stopped).toMatchObject({
        status: 'incomplete',
        reason: { code: 'crm_limit_reached' },
      });
      expect(stopped.contacts).toMatchObject({ enhanced: 0, written: 0 });
      await org.control('PUT', 'faults', []);
      await expectToGoOn(org, world, stopped);
    },
  );

  it('stops at the reserve of the daily requests, leaves it alone, and goes on the day after', async () => {
    const { org, world } = await start(PEOPLE, {}, undefined, { apiLimit: 1_000 });
    await org.control('PUT', 'api-usage', { used: 797 });
    const stopped = await world.sync();
    expect(stopped).toMatchObject({ status: 'incomplete', reason: { code: 'crm_limit_reached' } });
    expect(stopped.contacts.written).toBe(0);
    expect(await remaining(org)).toBeGreaterThan(190);
    await org.control('PUT', 'api-usage', { used: 0 });
    await expectToGoOn(org, world, stopped);
  });

  async function start(
    contacts: number,
    settings: Settings = {},
    around: (connector: Connector) => Connector = (connector) => connector,
    options: { apiLimit?: number } = {},
  ): Promise<{ org: Org; world: SyncWorld }> {
    const org = await openOrg({ contacts, donors: DONORS, bulkJobTimeMs: 0, ...options });
    open.push(org);
    const maker = await org.connector();
    await maker.createFields([
      { name: DONOR_ID, label: 'Donor ID', type: 'text', description: 'Whose profile it is.' },
    ]);
    const world = await createSyncWorld({
      service: { donors: DONORS },
      integration: { fields: FIELDS },
      open: async (signal) => around(await org.connector(settings, { signal })),
    });
    open.push(world);
    return { org, world };
  }
});

/** Expects that the next run delivers all profiles and does not pay for any contact twice. */
async function expectToGoOn(org: Org, world: SyncWorld, stopped: RunReport): Promise<void> {
  const { status, contacts } = await world.sync();
  expect({ status, waiting: contacts.waiting }).toEqual({ status: 'succeeded', waiting: 0 });
  expect((await enhanced(org)).length).toBeGreaterThan(350);
  const spent = await world.spent();
  expect(spent).toBe(stopped.contacts.submitted + contacts.submitted);
  expect(spent).toBeLessThanOrEqual(PEOPLE);
  expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
}

/** Returns the cursor of the next reading. */
async function cursorOf({ database }: SyncWorld): Promise<string | null> {
  const row = await database.db.selectFrom('integrations').select('cursor').executeTakeFirst();
  return row?.cursor ?? null;
}

/** Returns the contacts of the org that have a profile. */
async function enhanced(org: Org): Promise<{ id: string; donorId: string }[]> {
  const all: { id: string; donorId: string }[] = [];
  for (const { id } of await org.people()) {
    const donorId = await org.seenValue(id, DONOR_ID);
    if (typeof donorId === 'string') all.push({ id, donorId });
  }
  return all;
}

async function personOf(org: Org, id: string) {
  return {
    firstName: await org.seenValue(id, 'FirstName'),
    lastName: await org.seenValue(id, 'LastName'),
  };
}

async function refusals(org: Org, refusal: number): Promise<number> {
  return (await org.requests()).filter(({ status }) => status === refusal).length;
}

const limitsSchema = z.object({ DailyApiRequests: z.object({ Remaining: z.number() }) });

/** Returns the number of API requests that the org has left today. */
async function remaining(org: Org): Promise<number> {
  return limitsSchema.parse(await org.ask('GET', '/limits')).DailyApiRequests.Remaining;
}
