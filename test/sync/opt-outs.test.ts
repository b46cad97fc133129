import { expect, it } from 'vitest';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../connectors/memory/crm.ts';
import type { FieldMapping } from '../../src/core/field-map.ts';
import type { BatchDecision } from '../../src/core/questions/decisions.ts';
import { listBatches, recordBatchDecision } from '../../src/decisions/statements/batches.ts';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import { forecastNetworks } from '../../src/networks/forecast.ts';
import { withAddedMarks } from '../../src/sync/control/added-marks.ts';
import { isMassOptOut } from '../../src/sync/guards/opt-outs.ts';
import { purgeAllProfiles } from '../../src/sync/purge-old.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import type { SyncWorld, SyncWorldOptions } from '../helpers/sync-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { createNetworkWorld } from '../networks/network-world.ts';
import { open } from './worlds.ts';

const openNetworks = closedAfterTest(createNetworkWorld);

const DAY_MS = 86_400_000;
const NEW_FIELD = 'Donor Profile';

const LINES = [
  { from: 'donorId', to: 'Donor ID' },
  { from: 'netWorth.low', to: 'Donor Net Worth Low' },
] as const;
const MORE = [...LINES, { from: 'profileUrl', to: NEW_FIELD }] as const;

it.each([
  ['fewer than 25 of few', { marked: 24, kept: 30 }, false],
  ['25 of 250, a tenth', { marked: 25, kept: 250 }, false],
  ['26 of 250', { marked: 26, kept: 250 }, true],
  ['25 of 30', { marked: 25, kept: 30 }, true],
] as const)('are in doubt or not: %s', (_, counts, isMass) => {
  expect(isMassOptOut(counts)).toBe(isMass);
});

it('keep their place in a network as long as their marks are in doubt, since another place costs a credit', async () => {
  const world = await openNetworks({ enhanced: 80 });
  world.setBoard(0, 80);
  await world.sync();
  const [before, spent] = [await world.networks(), await world.networkSpent()];
  // Fewer than half of the members are marked, so the group guard alone would allow the removal.
  const marked = world.people.slice(0, 35);
  mark(world, marked, true);
  for (let night = 0; night < 2; night += 1) {
    expect(await world.sync()).toMatchObject({ networks: [{ name: 'Board', removed: 0 }] });
    expect(await world.networks()).toEqual(before);
    const { networks } = await forecastNetworks(world.deps(), world.integration, 0);
    expect(networks).toMatchObject([{ joiners: 0, leavers: 0, problem: null }]);
  }
  mark(world, marked, false);
  expect(await world.sync()).toMatchObject({ networks: [{ removed: 0, added: 0, kept: 80 }] });
  expect(await world.networkSpent()).toBe(spent);
  mark(world, marked, true);
  await world.sync();
  await decide(world, 'approved');
  expect(await world.sync()).toMatchObject({ networks: [{ removed: 35, added: 0, kept: 45 }] });
});

describeEachDatabase('contacts that opt out', (openDatabase) => {
  it('are asked about if they are many; a correction closes the question, and all values are right', async () => {
    const { world, ids } = await openSynced(60);
    const before = await world.spent();
    mark(world, ids, true);
    const { status } = await world.sync({ mappings: lines(MORE) });
    expect(status).toBe('succeeded');
    expect(filled(world)).toEqual([]);
    const [batch] = await listBatches(world.store.reader);
    expect(batch).toMatchObject({ kind: 'mass_opt_out', marks: ['Board'] });
    expect(batch?.count).toBe((await profiles(world)).size);
    await later(world, 40);
    await world.sync({ mappings: lines(MORE) });
    expect((await profiles(world)).size).toBe(batch?.count);
    mark(world, ids, false);
    await world.sync({ mappings: lines(MORE) });
    expect(await listBatches(world.store.reader)).toEqual([]);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(filled(world).sort()).toEqual([...(await profiles(world)).keys()].sort());
    expect(await world.spent()).toBe(before);
  });

  it('lose their profiles 30 days after the mark, once a user has confirmed it', async () => {
    const { world, ids } = await openSynced(60);
    mark(world, ids, true);
    await world.sync();
    expect(await decide(world, 'approved')).toBeGreaterThan(25);
    await later(world, 20);
    await world.sync();
    expect((await profiles(world)).size).toBeGreaterThan(25);
    await later(world, 11);
    await world.sync();
    expect((await profiles(world)).size).toBe(0);
    expect(await listBatches(world.store.reader)).toEqual([]);
  });

  it('keep their profiles if a user says that the marks are an error, for as long as they are set', async () => {
    const { world, ids } = await openSynced(60);
    const [first = '', ...others] = ids;
    mark(world, ids, true);
    await world.sync();
    await decide(world, 'rejected');
    await later(world, 200);
    await world.sync();
    const kept = await profiles(world);
    expect(kept.size).toBeGreaterThan(25);
    expect(await listBatches(world.store.reader)).toEqual([]);
    // The decision applies only to the earlier marks. A mark that is set again later is a new mark.
    mark(world, ids, false);
    await world.sync({ mappings: lines(MORE) });
    expect(filled(world)).toHaveLength(kept.size);
    const [known = ''] = kept.has(first) ? [first] : others.filter((id) => kept.has(id));
    mark(world, [known], true);
    await world.sync();
    await later(world, 31);
    await world.sync();
    expect((await profiles(world)).has(known)).toBe(false);
    expect((await profiles(world)).size).toBe(kept.size - 1);
  });

  it('are counted over seven days, and later ones join the question', async () => {
    const { world, ids } = await openSynced(90);
    mark(world, ids.slice(0, 20), true);
    await world.sync();
    expect(await listBatches(world.store.reader)).toEqual([]);
    await later(world, 6);
    mark(world, ids.slice(20, 40), true);
    await world.sync();
    const [batch] = await listBatches(world.store.reader);
    const marked = async (upTo: number) => ids.slice(0, upTo).filter((id) => kept.has(id)).length;
    const kept = await profiles(world);
    expect(batch?.count).toBe(await marked(40));
    await later(world, 20);
    mark(world, ids.slice(40, 42), true);
    await world.sync();
    const [joined] = await listBatches(world.store.reader);
    expect(joined).toMatchObject({ id: batch?.id, count: await marked(42) });
    // After the decision, a few more marks open no new question.
    await decide(world, 'approved');
    mark(world, ids.slice(42, 46), true);
    await world.sync();
    expect(await listBatches(world.store.reader)).toEqual([]);
  });

  it('are not asked about if they are few in each week', async () => {
    const { world, ids } = await openSynced(60);
    mark(world, ids.slice(0, 20), true);
    await world.sync();
    await later(world, 8);
    mark(world, ids.slice(20, 40), true);
    await world.sync();
    expect(await listBatches(world.store.reader)).toEqual([]);
  });

  it('lose their profile with the next run if they object, unless they are many', async () => {
    const objectors = new Set<string>();
    const connector = (crm: MemoryCrm, signal: AbortSignal) =>
      withAddedMarks(createMemoryConnector(crm, signal), {
        objectors,
        listAsked: async () => new Set(),
      });
    const { world, ids } = await openSynced(60, {
      connector: (crm, signal) =>
        objectors.size === 0 ? createMemoryConnector(crm, signal) : connector(crm, signal),
    });
    const kept = await profiles(world);
    const [first = '', ...others] = ids.filter((id) => kept.has(id));
    const objecting = async (some: readonly string[]) => {
      for (const id of some) objectors.add(id);
      mark(world, [...objectors], false);
      await world.sync();
    };
    await objecting([first]);
    const left = await profiles(world);
    expect(left.has(first)).toBe(false);
    expect(left.size).toBe(kept.size - 1);
    const row = await world.database.db
      .selectFrom('kept_profiles')
      .select(['key', 'profile', 'donor'])
      .where('crm_id', '=', first)
      .executeTakeFirst();
    expect(row).toEqual({ key: '', profile: '', donor: '' });
    // Together with the earlier contact, 25 contacts have objected within a week.
    await objecting(others.slice(0, 24));
    expect((await profiles(world)).size).toBe(left.size);
    expect(await listBatches(world.store.reader)).toMatchObject([
      { kind: 'mass_opt_out', count: 24, marks: ['objection'] },
    ]);
    await decide(world, 'approved');
    await world.sync();
    expect((await profiles(world)).size).toBe(left.size - 24);
    await later(world, 8);
    await world.sync();
    const rows = await world.database.db.selectFrom('kept_profiles').select('crm_id').execute();
    expect(rows).toHaveLength(left.size - 24);
  });

  it('lose it also if no run ends well, and if the client is never synced again', async () => {
    const { world, ids } = await openSynced(10);
    const kept = await profiles(world);
    const [first = '', second = ''] = ids.filter((id) => kept.has(id));
    mark(world, [first, second], true);
    await world.sync();
    await later(world, 31);
    await world.database.db
      .updateTable('kept_profiles')
      .set({ opted_out_at: Date.now() })
      .where('crm_id', '=', second)
      .execute();
    await purge(world);
    expect((await profiles(world)).has(first)).toBe(false);
    expect((await profiles(world)).has(second)).toBe(true);
    await later(world, 400);
    await purge(world);
    expect((await profiles(world)).size).toBe(0);
  });

  it('lose nothing without a run while a user is asked', async () => {
    const { world, ids } = await openSynced(60);
    const kept = await profiles(world);
    mark(world, ids, true);
    await world.sync();
    await later(world, 100);
    await purge(world);
    expect(await profiles(world)).toEqual(kept);
  });

  it('have nothing of the question left once they are removed', async () => {
    const { world, ids } = await openSynced(60);
    const kept = await profiles(world);
    mark(world, ids, true);
    await world.sync();
    const [gone = ''] = ids.filter((id) => kept.has(id));
    world.crm.deleteContact(gone);
    await world.sync();
    expect((await listBatches(world.store.reader))[0]?.count).toBe(kept.size - 1);
    mark(
      world,
      ids.filter((id) => id !== gone),
      false,
    );
    await world.sync();
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  async function openSynced(people: number, options: SyncWorldOptions = {}) {
    const database = await openDatabase();
    const world = await open({
      ...options,
      database,
      integration: { fields: lines(LINES), contacts: { optOutField: 'Board' } },
    });
    const ids = await world.addPeople(people);
    await world.sync();
    return { world, ids };
  }
});

function lines(some: readonly Pick<FieldMapping, 'from' | 'to'>[]): FieldMapping[] {
  return some.map((line) => ({ ...line, when: 'unlessEdited' }));
}

function mark({ crm }: SyncWorld, ids: readonly string[], optedOut: boolean): void {
  for (const id of ids) crm.editContact(id, { optedOut });
}

/** Returns the contacts with a value that only a later delivery can have written. */
function filled({ crm }: SyncWorld): string[] {
  return [...crm.records.keys()].filter((id) => crm.valueOf(id, NEW_FIELD) !== null);
}

/** Returns the profile that the product has stored for each contact. */
async function profiles({ database }: SyncWorld): Promise<Map<string, string>> {
  const rows = await database.db
    .selectFrom('kept_profiles')
    .select(['crm_id', 'profile'])
    .where('profile', '<>', '')
    .orderBy('crm_id')
    .execute();
  return new Map(rows.map(({ crm_id, profile }) => [crm_id, profile]));
}

/** Moves all recorded times back by this number of days. */
async function later({ database: { db } }: SyncWorld, days: number): Promise<void> {
  const ms = days * DAY_MS;
  await db
    .updateTable('kept_profiles')
    .set((eb) => ({
      kept_at: eb('kept_at', '-', ms),
      opted_out_at: eb('opted_out_at', '-', ms),
    }))
    .execute();
  await db
    .updateTable('questions')
    .set((eb) => ({
      opened_at: eb('opened_at', '-', ms),
      decided_at: eb('decided_at', '-', ms),
    }))
    .execute();
}

async function decide({ store }: SyncWorld, decision: BatchDecision): Promise<number> {
  const [batch] = await listBatches(store.reader);
  if (batch === undefined) throw new Error('No batch waits');
  return recordBatchDecision(store.act, batch.id, decision);
}

/** Does the daily work that `serve` does outside of runs. */
async function purge(world: SyncWorld): Promise<void> {
  const integrations = new Map([['riverside', world.integration]]);
  await purgeAllProfiles(world.deps(), { integrations, unreadable: new Map() }, async () => true);
}
