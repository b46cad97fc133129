import { expect, it } from 'vitest';
import { LEASE_MS, type Lease, LeaseLost } from '../../src/store/leases.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import {
  accept,
  chargeLoss,
  jobOf,
  readContact,
  readPage,
  recordIntent,
  submit,
} from './contact-stages.ts';
import {
  everything,
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from './store-world.ts';

const ALIVE = () => false;

describeEachDatabase('leases', (open) => {
  const createWorld = storeWorlds(open);

  it('raises the epoch with each lease', async () => {
    const { store } = await createWorld();
    const first = await store.leases.acquire('lakeside', 'anna', ALIVE);
    expect(first).toEqual({ acquired: true, lease: { integrationId: 'lakeside', epoch: 1 } });
    const second = await store.leases.acquire('lakeside', 'ben', () => true);
    expect(second).toEqual({ acquired: true, lease: { integrationId: 'lakeside', epoch: 2 } });
  });

  it('refuses a lease that a living owner has, and says whose it is and until when', async () => {
    const { store, clock } = await createWorld();
    await store.leases.acquire('lakeside', 'anna', ALIVE);
    await clock.advance(LEASE_MS - 1);
    expect(await store.leases.acquire('lakeside', 'ben', ALIVE)).toEqual({
      acquired: false,
      owner: 'anna',
      until: START_MS + LEASE_MS,
    });
    expect(await store.leases.holder('lakeside')).toMatchObject({ owner: 'anna' });
  });

  it('gives a lease that has run out to another owner', async () => {
    const { store, clock } = await createWorld();
    await store.leases.acquire('lakeside', 'anna', ALIVE);
    await clock.advance(LEASE_MS);
    const taken = await store.leases.acquire('lakeside', 'ben', ALIVE);
    expect(taken).toMatchObject({ acquired: true, lease: { epoch: 2 } });
    expect(await store.leases.holder('lakeside')).toEqual({
      owner: 'ben',
      until: START_MS + 2 * LEASE_MS,
      epoch: 2,
    });
  });

  it('gives the lease of an owner that is gone to another before it runs out', async () => {
    const { store } = await createWorld();
    await store.leases.acquire('lakeside', 'anna', ALIVE);
    const taken = await store.leases.acquire('lakeside', 'ben', (owner) => owner === 'anna');
    expect(taken).toMatchObject({ acquired: true, lease: { epoch: 2 } });
  });

  it.each([
    ['of an integration that was never run', false],
    ['that has run out', true],
  ])('gives a lease %s to exactly one of several that ask at once', async (_case, ranBefore) => {
    const { store, clock } = await createWorld();
    if (ranBefore) {
      await store.leases.acquire('lakeside', 'zoe', ALIVE);
      await clock.advance(LEASE_MS);
    }
    const owners = ['anna', 'ben', 'carl', 'dora'];
    const attempts = await Promise.all(
      owners.map((owner) => store.leases.acquire('lakeside', owner, ALIVE)),
    );
    const winners = owners.filter((_, index) => attempts[index]?.acquired);
    expect(winners).toHaveLength(1);
    expect((await store.leases.holder('lakeside'))?.owner).toBe(winners[0]);
  });

  it('leases each integration for itself', async () => {
    const { store } = await createWorld();
    expect(await store.leases.acquire('lakeside', 'anna', ALIVE)).toMatchObject({ acquired: true });
    expect(await store.leases.acquire('hillside', 'ben', ALIVE)).toMatchObject({ acquired: true });
  });

  it('is kept by a renewal and by each checkpoint', async () => {
    const { store, clock, lease } = await createWorld();
    await clock.advance(LEASE_MS - 1);
    await store.leases.renew(lease);
    expect((await store.leases.holder(INTEGRATION))?.until).toBe(START_MS + 2 * LEASE_MS - 1);
    await clock.advance(LEASE_MS - 1);
    await store.leases.checkpoint(lease, async () => undefined);
    await clock.advance(LEASE_MS - 1);
    expect(await store.leases.acquire(INTEGRATION, 'ben', ALIVE)).toMatchObject({
      acquired: false,
    });
  });

  it('has no holder once it is released, and keeps its epoch', async () => {
    const { store, lease } = await createWorld();
    await store.leases.release(lease);
    expect(await store.leases.holder(INTEGRATION)).toBeNull();
    const next = await store.leases.acquire(INTEGRATION, 'ben', ALIVE);
    expect(next).toMatchObject({ acquired: true, lease: { epoch: lease.epoch + 1 } });
  });

  it('has no holder if the integration was never run', async () => {
    const { store } = await createWorld();
    expect(await store.leases.holder('lakeside')).toBeNull();
  });

  it('cannot be released by one that has lost it', async () => {
    const { store, lease } = await createWorld();
    await store.leases.acquire(INTEGRATION, 'ben', () => true);
    await store.leases.release(lease);
    expect((await store.leases.holder(INTEGRATION))?.owner).toBe('ben');
  });
});

describeEachDatabase('a checkpoint', (open) => {
  const createWorld = storeWorlds(open);

  it('resolves with what its work resolves with', async () => {
    const { store, lease } = await createWorld();
    expect(await store.leases.checkpoint(lease, async () => 'done')).toBe('done');
  });

  it('keeps nothing of work that fails in the middle', async () => {
    const world = await createWorld();
    const { store, db, lease, clock } = world;
    const before = await everything(db);
    await clock.advance(1_000);
    const failing = store.leases.checkpoint(lease, async (trx) => {
      await trx.insertInto('secrets').values({ name: 'token', value: 'sealed' }).execute();
      throw new Error('the work failed');
    });
    await expect(failing).rejects.toThrow('the work failed');
    expect(await everything(db)).toEqual(before);
  });

  it('is not even begun by one that has lost the lease', async () => {
    const { store, lease } = await createWorld();
    await takeLease(store, INTEGRATION);
    let begun = false;
    const late = store.leases.checkpoint(lease, async () => {
      begun = true;
    });
    await expect(late).rejects.toThrow(LeaseLost);
    await expect(late).rejects.toMatchObject({ kind: 'fatal', code: 'lease_lost' });
    expect(begun).toBe(false);
  });

  it('lets a takeover that comes in the middle wait, and is the last of its owner', async () => {
    const { store, lease } = await createWorld();
    const order: string[] = [];
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const writing = store.leases.checkpoint(lease, async (trx) => {
      begun.resolve();
      await mayEnd.promise;
      await trx.updateTable('runs').set({ read_count: 7 }).where('id', '=', RUN).execute();
      order.push('written');
    });
    await begun.promise;
    const taking = takeLease(store, INTEGRATION).then(() => order.push('taken over'));
    mayEnd.resolve();
    await Promise.all([writing, taking]);
    expect(order).toEqual(['written', 'taken over']);
    expect(await store.runs.find(RUN)).toMatchObject({ read_count: 7 });
    await expect(store.leases.renew(lease)).rejects.toThrow(LeaseLost);
  });
});

describeEachDatabase('one that has lost its lease', (open) => {
  const createWorld = storeWorlds(open);

  it.each<[string, (world: StoreWorld) => Promise<unknown>]>([
    ['leases.renew', ({ store, lease }) => store.leases.renew(lease)],
    ['runs.begin', ({ store, lease }) => store.runs.begin(lease, 'run-2', 'manual', null)],
    ['runs.finish', ({ store, lease }) => store.runs.finish(lease, RUN, END)],
    ['contacts.recordPage', (world) => readPage(world, [readContact('c-3')])],
    [
      'contacts.reconsider',
      ({ store, lease }) =>
        store.contacts.reconsider(lease, RUN, START_MS, () => ({ kind: 'keep' })),
    ],
    ['contacts.removeUnseen', ({ store, lease }) => store.contacts.removeUnseen(lease, 'run-2')],
    [
      'contacts.settleDue',
      ({ store, lease }) =>
        store.contacts.settleDue(lease, RUN, [
          { crmId: 'c-2', reason: 'opted_out', removed: false },
        ]),
    ],
    ['contacts.stampWaiting', ({ store, lease }) => store.contacts.stampWaiting(lease, RUN, WAITS)],
    ['submissions.recordIntent', (world) => recordIntent(world, ['c-2'])],
    ['submissions.recordAccepted', (world) => accept(world, ['c-1'])],
    [
      'submissions.recordLost',
      ({ store, lease }) => store.submissions.recordLost(lease, 'submission-1'),
    ],
    [
      'submissions.recordRefused',
      ({ store, lease }) => store.submissions.recordRefused(lease, 'submission-1'),
    ],
    [
      'submissions.settleNotCharged',
      ({ store, lease }) => store.submissions.settleNotCharged(lease, 'submission-1', 1),
    ],
    ['submissions.settleCharged', (world) => chargeLoss(world, 'hold')],
    ['jobs.recordProgress', ({ store, lease }) => store.jobs.recordProgress(lease, RUN, NOTHING)],
    [
      'deliveries.recordIntended',
      ({ store, lease }) =>
        store.deliveries.recordIntended(lease, RUN, [
          { id: 'write-1', crmId: 'c-1', before: '', after: {}, ownedBefore: {} },
        ]),
    ],
    [
      'deliveries.recordDeliveries',
      ({ store, lease }) => store.deliveries.recordDeliveries(lease, RUN, []),
    ],
    [
      'deliveries.recordUndone',
      ({ store, lease }) =>
        store.deliveries.recordUndone(lease, WRITE, { owned: { Age: 'print' }, left: {} }),
    ],
    ['integrations.pinAccount', ({ store, lease }) => store.integrations.pinAccount(lease, 'a')],
    ['integrations.resetCursor', ({ store, lease }) => store.integrations.resetCursor(lease, 's')],
  ])('is told so by %s, and nothing is written', async (_query, write) => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await readPage(world, [readContact('c-2')]);
    await takeLease(world.store, INTEGRATION);
    const before = await everything(world.db);
    await expect(write(world)).rejects.toThrow(LeaseLost);
    expect(await everything(world.db)).toEqual(before);
  });

  it('cannot go on with a submission whose intent it has recorded', async () => {
    const world = await createWorld();
    const { store } = world;
    await readPage(world, [readContact('c-1')]);
    expect(await recordIntent(world, ['c-1'])).toMatchObject({ recorded: true });
    const successor: Lease = await takeLease(store, INTEGRATION);
    const before = await everything(world.db);

    await expect(accept(world, ['c-1'])).rejects.toThrow(LeaseLost);
    await expect(store.submissions.recordLost(world.lease, 'submission-1')).rejects.toThrow(
      LeaseLost,
    );
    expect(await everything(world.db)).toEqual(before);

    await accept({ ...world, lease: successor }, ['c-1']);
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'processing' });
  });
});

const END = { status: 'succeeded', reason: null, finishedAt: 1, report: '{}' } as const;
const NOTHING = { completed: [], failed: [], vanished: [], tooOld: [] };
const WRITE = {
  id: 'write-1',
  run_id: RUN,
  integration_id: INTEGRATION,
  crm_id: 'c-1',
  state: 'written',
  before: '',
  after: '{}',
  owned_before: '{}',
  written_at: START_MS,
} as const;
const WAITS = {
  due: 'submission_pending',
  submitted: 'job_running',
  unsettled: 'settlement_pending',
  ready: 'delivery_pending',
  only: null,
} as const;
