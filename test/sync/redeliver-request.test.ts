import { expect, it } from 'vitest';
import type { Connector } from '../../connectors/contract.ts';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../connectors/memory/crm.ts';
import type { FieldMapping } from '../../src/core/field-map.ts';
import { hasRedeliveryRequest } from '../../src/fields/statements/later-deliveries.ts';
import { listWaitingValues } from '../../src/fields/statements/value-states.ts';
import { undoRun } from '../../src/fields/undo.ts';
import { openCrm } from '../../src/sync/control/crm-account.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import { type PreviewedRequest, previewRedelivery } from '../../src/sync/redelivery/request.ts';
import { listRunRecords } from '../../src/sync/statements/runs.ts';
import type { SyncWorld } from '../helpers/sync-world.ts';
import { describeEachDatabase, describeOn } from '../helpers/test-databases.ts';
import { ageJobs, open } from './worlds.ts';

const FIELDS = [
  { from: 'donorId', to: 'Donor ID' },
  { from: 'netWorth.low', to: 'Donor Net Worth Low' },
  { from: 'age', to: 'Donor Age' },
  { from: 'profileUrl', to: 'Donor Profile' },
] as const;

const MAP: FieldMapping[] = FIELDS.map((line) => ({ ...line, when: 'unlessEdited' }));

async function openSynced(people: number, options: Parameters<typeof open>[0] = {}) {
  const world = await open({ ...options, integration: { fields: MAP, ...options.integration } });
  await world.addPeople(people);
  const { id: runId } = await world.sync();
  const spent = await world.spent();
  return { world, runId, spent, values: valuesOf(world) };
}

/** Returns the values of all mapped fields in the CRM. */
function valuesOf({ crm }: SyncWorld): Record<string, unknown> {
  return Object.fromEntries(
    [...crm.records.keys()].map((id) => [id, FIELDS.map(({ to }) => crm.valueOf(id, to))]),
  );
}

async function undo(world: SyncWorld, runId: string): Promise<void> {
  const deps = world.deps();
  await withLease(deps, 'riverside', async (lease) =>
    undoRun(await openCrm(deps, lease), lease, runId),
  );
}

function redeliver(world: SyncWorld, fields: readonly string[] | null = null, only?: string) {
  return world.sync({ redelivery: { fields }, only: only ?? null });
}

function preview(world: SyncWorld, request: Partial<PreviewedRequest> = {}) {
  const { integration } = world;
  return previewRedelivery(world.deps(), {
    ...{ integration, mappings: integration.fields ?? [], fields: null, only: null },
    ...request,
  });
}

let afterWrite = () => {};

/** Creates a connector that accepts five contacts per request, so there are several pages. */
function inPagesOfFive(crm: MemoryCrm, signal: AbortSignal): Connector {
  const connector = createMemoryConnector(crm, signal);
  const { writeBatch } = connector.capabilities;
  return {
    ...connector,
    capabilities: { ...connector.capabilities, writeBatch: { ...writeBatch, max: 5 } },
    async *write(changes) {
      yield* connector.write(changes);
      afterWrite();
    },
  };
}

/** Returns the contacts in the CRM that have a value in this field. */
function holders({ crm }: SyncWorld, field: string): string[] {
  return [...crm.records.keys()].filter((id) => crm.valueOf(id, field) !== null);
}

describeOn('sqlite', 'a delivery on request', () => {
  it('brings back all that was undone by mistake, exactly as it was previewed, for no credit', async () => {
    const { world, runId, spent, values } = await openSynced(30);
    await undo(world, runId);
    await world.sync();
    expect(holders(world, 'Donor ID')).toEqual([]);
    const foreseen = await preview(world);
    const writes = world.crm.writes.length;
    const report = await redeliver(world);
    expect(report).toMatchObject({ status: 'succeeded', contacts: { read: 0, chosen: 0 } });
    expect(report.contacts.written).toBe(foreseen.contacts);
    expect(valuesOf(world)).toEqual(values);
    const written = world.crm.writes.slice(writes);
    for (const { field, contacts } of foreseen.values) {
      expect(written.filter(({ values: put }) => field in put)).toHaveLength(contacts);
    }
    expect(foreseen.excluded).toEqual([]);
    expect(await world.spent()).toBe(spent);
    expect(await preview(world)).toMatchObject({ contacts: 0, unchanged: foreseen.contacts });
    const states = await listWaitingValues(world.store.reader, 'riverside', { states: ['undone'] });
    expect(states).toEqual([]);
  });

  it('writes nothing before it is asked to, and only the field and the contact that are named', async () => {
    const { world, runId } = await openSynced(10);
    await undo(world, runId);
    await preview(world);
    expect(holders(world, 'Donor ID')).toEqual([]);
    const [id = ''] = world.crm.records.keys();
    await redeliver(world, ['Donor Profile'], id);
    expect(holders(world, 'Donor Profile')).toEqual([id]);
    expect(holders(world, 'Donor ID')).toEqual([]);
    await redeliver(world, ['Donor ID']);
    expect(holders(world, 'Donor Profile')).toEqual([id]);
    expect(holders(world, 'Donor ID').length).toBeGreaterThan(5);
    // Automatic deliveries omit undone values that the request does not name.
    await world.sync({ full: true });
    expect(holders(world, 'Donor Profile')).toEqual([id]);
  });

  it('leaves lines that the map has gained to the next run, if only one field is named', async () => {
    const world = await open({ integration: { fields: MAP.slice(0, 1) } });
    await world.addPeople(10);
    const first = await world.sync();
    await undo(world, first.id);
    await world.sync({ mappings: MAP.slice(0, 3), redelivery: { fields: ['Donor ID'] } });
    expect(holders(world, 'Donor Age')).toEqual([]);
    expect(holders(world, 'Donor ID').length).toBeGreaterThan(5);
    await world.sync({ mappings: MAP.slice(0, 3) });
    expect(holders(world, 'Donor Age').length).toBeGreaterThan(0);
  });

  it("fills what a user has emptied, and leaves a user's own value alone", async () => {
    const { world, spent } = await openSynced(10);
    const [emptied = '', filled = ''] = holders(world, 'Donor Net Worth Low');
    const before = world.crm.valueOf(emptied, 'Donor Net Worth Low');
    world.crm.setValue(emptied, 'Donor Net Worth Low', null);
    world.crm.setValue(filled, 'Donor Net Worth Low', 77);
    await world.sync({ full: true });
    expect(world.crm.valueOf(emptied, 'Donor Net Worth Low')).toBeNull();
    expect(await preview(world)).toMatchObject({
      contacts: 1,
      values: [{ field: 'Donor Net Worth Low', contacts: 1 }],
      kept: [{ field: 'Donor Net Worth Low', state: 'kept_for_user', contacts: 1 }],
    });
    await redeliver(world);
    expect(world.crm.valueOf(emptied, 'Donor Net Worth Low')).toBe(before);
    expect(world.crm.valueOf(filled, 'Donor Net Worth Low')).toBe(77);
    expect(await world.spent()).toBe(spent);
  });

  it('gives nothing to contacts that have opted out since, or that are held, and says so', async () => {
    const { world, runId } = await openSynced(10);
    await undo(world, runId);
    const [noted = '', unread = ''] = world.crm.records.keys();
    world.crm.editContact(noted, { optedOut: true });
    await world.sync();
    world.crm.editContact(unread, { optedOut: true });
    const { excluded } = await preview(world);
    expect(excluded).toEqual([{ reason: 'opted_out', contacts: 2 }]);
    await redeliver(world);
    const given = holders(world, 'Donor ID');
    expect(given).not.toContain(noted);
    expect(given).not.toContain(unread);
    expect(given.length).toBeGreaterThan(5);
    // The request for a new delivery has ended, so the product does not repeat the request when the contact returns.
    expect(await hasRedeliveryRequest(world.store.reader, 'riverside')).toBe(false);
  });

  it('gives a renamed contact nothing of the profile of its former name', async () => {
    const { world, runId } = await openSynced(6);
    await undo(world, runId);
    const [id = ''] = world.crm.records.keys();
    world.crm.editContact(id, { firstName: 'Xanthe', lastName: 'Quillfeather' });
    expect((await preview(world)).excluded).toEqual([{ reason: 'name_mismatch', contacts: 1 }]);
    await redeliver(world);
    expect(holders(world, 'Donor ID')).not.toContain(id);
  });

  it('is finished by the next run where a record was locked', async () => {
    const { world, runId, values, spent } = await openSynced(20);
    await undo(world, runId);
    const [locked = ''] = world.crm.records.keys();
    world.crm.lock(locked, 99);
    expect(await redeliver(world)).toMatchObject({ contacts: { waiting: 1 } });
    expect(world.crm.valueOf(locked, 'Donor ID')).toBeNull();
    world.crm.lock(locked, 0);
    await world.sync();
    expect(valuesOf(world)).toEqual(values);
    expect(await world.spent()).toBe(spent);
    expect(await hasRedeliveryRequest(world.store.reader, 'riverside')).toBe(false);
  });

  it('is finished by the next run after a stop in its middle', async () => {
    const { world, runId, values } = await openSynced(20, { connector: inPagesOfFive });
    await undo(world, runId);
    const stop = new AbortController();
    afterWrite = () => stop.abort();
    const report = await world.sync({ redelivery: { fields: null }, signal: stop.signal });
    afterWrite = () => {};
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'interrupted' } });
    const given = holders(world, 'Donor ID').length;
    expect(given).toBeGreaterThan(0);
    expect(given).toBeLessThanOrEqual(5);
    await world.sync();
    expect(valuesOf(world)).toEqual(values);
  });

  it('fetches results again where no profile is kept, and counts those that are gone', async () => {
    const { world, runId, values, spent } = await openSynced(20);
    await undo(world, runId);
    await world.database.db.deleteFrom('kept_profiles').execute();
    await redeliver(world);
    expect(valuesOf(world)).toEqual(values);
    expect(await world.spent()).toBe(spent);
    const kept = await world.database.db.selectFrom('kept_profiles').selectAll().execute();
    expect(kept.every(({ profile }) => profile !== '')).toBe(true);

    await undo(world, (await listRunRecords(world.store.reader, { limit: 1 }))[0]?.id ?? '');
    await world.database.db.deleteFrom('kept_profiles').execute();
    await ageJobs(world, 60);
    await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    const { contacts, excluded } = await preview(world);
    expect(contacts).toBe(0);
    expect(excluded).toEqual([{ reason: 'no_profile', contacts: kept.length }]);
    expect((await redeliver(world)).contacts.written).toBe(0);
    // None of donor-sync's jobs delivered the profile, as after `sync --adopt`.
    await world.database.db.deleteFrom('jobs').execute();
    expect((await preview(world)).excluded).toEqual(excluded);
  });

  it('asks the service for nothing, and so works while it is away', async () => {
    const { world, runId, values } = await openSynced(10);
    await undo(world, runId);
    await world.putFaults([
      { on: { path: '*' }, fault: { kind: 'answer', status: 503, body: {} } },
    ]);
    expect(await redeliver(world)).toMatchObject({ status: 'succeeded' });
    expect(valuesOf(world)).toEqual(values);
  });
});

describeEachDatabase('a delivery on request, on each database', (openDatabase) => {
  it('previews, delivers by pages, and leaves no request behind', async () => {
    const database = await openDatabase();
    const { world, runId, values } = await openSynced(30, { database, connector: inPagesOfFive });
    await undo(world, runId);
    const foreseen = await preview(world);
    expect(foreseen.contacts).toBeGreaterThan(20);
    await redeliver(world, ['Donor Age', 'Donor ID']);
    await redeliver(world);
    expect(valuesOf(world)).toEqual(values);
    expect(await hasRedeliveryRequest(world.store.reader, 'riverside')).toBe(false);
    expect(await preview(world)).toMatchObject({ contacts: 0, excluded: [] });
  });
});
