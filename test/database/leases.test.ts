import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { pinCrmAccount, resetCursor } from '../../src/clients/statements/integrations.ts';
import { stampWaiting } from '../../src/contacts/contacts.ts';
import {
  holdMissing,
  markMissing,
  markUnseen,
  recordListScope,
  removeMissing,
} from '../../src/contacts/many-at-once/missing.ts';
import { reconsiderContacts, settleDue } from '../../src/contacts/reconsidering.ts';
import { recordRefusedSubmission } from '../../src/credits/statements/answers.ts';
import { recordJobProgress } from '../../src/credits/statements/jobs.ts';
import { recordLostSubmission } from '../../src/credits/statements/lost-answers.ts';
import { fromRow } from '../../src/database/from-row.ts';
import { type Lease, LeaseLost } from '../../src/database/leases.ts';
import type { Tables } from '../../src/database/tables/tables.ts';
import { LEASE_MS } from '../../src/database/transact.ts';
import {
  recordDeliveries,
  recordIntendedWrites,
  recordUndoneWrite,
} from '../../src/fields/statements/deliveries.ts';
import { createStore } from '../../src/store.ts';
import { findRunById, recordRunBegin, recordRunEnd } from '../../src/sync/statements/runs.ts';
import {
  accept,
  chargeLoss,
  jobOf,
  readContact,
  readPage,
  recordIntent,
  settleLost,
  submit,
} from '../contacts/contact-stages.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import {
  describeEachDatabase,
  describeOn,
  openPostgresFresh,
  type TestDatabase,
} from '../helpers/test-databases.ts';
import {
  everything,
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
  testFingerprint,
} from './store-world.ts';

const ALIVE = () => false;

/** A host may estimate the database's clock with at most this error (ms). */
const ABOUT_MS = 5_000;

/** Moves the time of the leases forward. On Postgres, leases use only the server's time. */
async function letPass({ db, clock }: StoreWorld, kind: string, ms: number): Promise<void> {
  if (kind === 'sqlite') return clock.advance(ms);
  const lease_until = sql<number>`lease_until - ${sql.lit(ms)}`;
  await db.updateTable('integrations').set({ lease_until }).execute();
}

/**
 * Returns a different host's view of the store. The clock of that host is ahead of the first host's clock by `aheadMs`.
 */
function elsewhere({ db, clock }: StoreWorld, aheadMs: number) {
  const theirs = createFakeClock(clock.now() + aheadMs);
  return createStore({ db, clock: theirs, fingerprint: testFingerprint });
}

describeEachDatabase('leases', (open, kind) => {
  const createWorld = storeWorlds(open);
  /** Returns the database's own time (epoch ms). */
  const timeOf = ({ clock }: StoreWorld) => (kind === 'sqlite' ? clock.now() : Date.now());

  it('raises the epoch with each lease', async () => {
    const { store } = await createWorld();
    const first = await store.leases.acquire('lakeside', 'anna', ALIVE);
    expect(first).toEqual({ acquired: true, lease: { integrationId: 'lakeside', epoch: 1 } });
    const second = await store.leases.acquire('lakeside', 'ben', () => true);
    expect(second).toEqual({ acquired: true, lease: { integrationId: 'lakeside', epoch: 2 } });
  });

  it('refuses a lease that a living owner has, and says whose it is and until when', async () => {
    const world = await createWorld();
    const { store } = world;
    const takenAt = timeOf(world);
    await store.leases.acquire('lakeside', 'anna', ALIVE);
    await letPass(world, kind, LEASE_MS - ABOUT_MS);
    const attempt = await store.leases.acquire('lakeside', 'ben', ALIVE);
    expect(attempt).toMatchObject({ acquired: false, owner: 'anna' });
    const until = attempt.acquired ? 0 : attempt.until;
    const aged = kind === 'sqlite' ? 0 : LEASE_MS - ABOUT_MS;
    expect(Math.abs(until - (takenAt + LEASE_MS - aged))).toBeLessThan(ABOUT_MS);
    expect(await store.leases.holder('lakeside')).toMatchObject({ owner: 'anna', until });
  });

  it('gives a lease that has run out to another owner', async () => {
    const world = await createWorld();
    const { store } = world;
    await store.leases.acquire('lakeside', 'anna', ALIVE);
    await letPass(world, kind, LEASE_MS);
    expect(await store.leases.holder('lakeside')).toBeNull();
    const taken = await store.leases.acquire('lakeside', 'ben', ALIVE);
    expect(taken).toMatchObject({ acquired: true, lease: { epoch: 2 } });
    expect(await store.leases.holder('lakeside')).toMatchObject({ owner: 'ben', epoch: 2 });
  });

  it('takes a lease that ends later than any can for none', async () => {
    const world = await createWorld();
    const { store, db } = world;
    await store.leases.acquire('lakeside', 'anna', ALIVE);
    const inTwoDays = timeOf(world) + 2 * 86_400_000;
    await db.updateTable('integrations').set({ lease_until: inTwoDays }).execute();
    expect(await store.leases.holder('lakeside')).toBeNull();
    const taken = await store.leases.acquire('lakeside', 'ben', ALIVE);
    expect(taken).toMatchObject({ acquired: true, lease: { epoch: 2 } });
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
    const world = await createWorld();
    const { store } = world;
    if (ranBefore) {
      await store.leases.acquire('lakeside', 'zoe', ALIVE);
      await letPass(world, kind, LEASE_MS);
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
    const world = await createWorld();
    const { store, lease } = world;
    await letPass(world, kind, LEASE_MS - ABOUT_MS);
    await store.leases.renew(lease);
    await letPass(world, kind, LEASE_MS - ABOUT_MS);
    await store.leases.checkpoint(lease, async () => undefined);
    await letPass(world, kind, LEASE_MS - ABOUT_MS);
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

describeOn('postgres', 'leases of hosts whose clocks differ, over one Postgres', () => {
  const closers: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closers) await close();
  });
  async function open<Db = Tables>(): Promise<TestDatabase<Db>> {
    const database = await openPostgresFresh<Db>();
    closers.push(database.close);
    return database;
  }
  const createWorld = storeWorlds(open);

  it.each([
    ['ahead', 120_000],
    ['behind', -120_000],
  ])('are not taken over by a host whose clock is two minutes %s', async (_, aheadMs) => {
    const world = await createWorld();
    const { leases } = elsewhere(world, aheadMs);
    expect(await leases.acquire(INTEGRATION, 'ben', ALIVE)).toMatchObject({ acquired: false });
    expect(await leases.holder(INTEGRATION)).toMatchObject({ owner: 'a-new-owner' });
    await world.store.leases.renew(world.lease);
  });

  it('run out when the server says so, whatever the clock of their owner', async () => {
    const world = await createWorld();
    const { leases } = elsewhere(world, 2 * 86_400_000);
    await leases.acquire('lakeside', 'anna', ALIVE);
    await letPass(world, 'postgres', LEASE_MS);
    expect(await world.store.leases.acquire('lakeside', 'ben', ALIVE)).toMatchObject({
      acquired: true,
    });
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
    expect(await findRunById(store.reader, RUN)).toMatchObject({ readCount: 7 });
    await expect(store.leases.renew(lease)).rejects.toThrow(LeaseLost);
  });
});

describeEachDatabase('one that has lost its lease', (open) => {
  const createWorld = storeWorlds(open);

  it.each<[string, (world: StoreWorld) => Promise<unknown>]>([
    ['leases.renew', ({ store, lease }) => store.leases.renew(lease)],
    [
      'runs.begin',
      ({ store, lease }) =>
        store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'manual', null)),
    ],
    [
      'runs.finish',
      ({ store, lease }) => store.checkpoint(lease, (trx) => recordRunEnd(trx, RUN, END)),
    ],
    ['recordDecidedPage', (world) => readPage(world, [readContact('c-3')])],
    [
      'contacts.reconsider',
      ({ store, lease }) =>
        reconsiderContacts(store, lease, RUN, START_MS, () => ({ kind: 'keep' })),
    ],
    [
      'missingContacts.markMissing',
      ({ store, lease }) => store.checkpoint(lease, (trx) => markMissing(trx, 'run-2', ['c-2'])),
    ],
    [
      'missingContacts.markUnseen',
      ({ store, lease }) => store.checkpoint(lease, (trx) => markUnseen(trx, 'run-2')),
    ],
    [
      'missingContacts.hold',
      ({ store, lease }) =>
        holdMissing(store, lease, { since: 0, detail: null, newId: () => 'hold-9' }),
    ],
    [
      'missingContacts.removeMissing',
      ({ store, lease }) => store.checkpoint(lease, (trx) => removeMissing(trx, { since: 0 })),
    ],
    [
      'missingContacts.recordListScope',
      ({ store, lease }) => store.checkpoint(lease, (trx) => recordListScope(trx, 'another')),
    ],
    [
      'contacts.settleDue',
      ({ store, lease }) =>
        store.checkpoint(lease, (trx) =>
          settleDue(trx, RUN, [{ crmId: 'c-2', reason: 'opted_out', turnedOut: 'ineligible' }]),
        ),
    ],
    [
      'contacts.stampWaiting',
      ({ store, lease }) =>
        store.checkpoint(lease, (trx) => stampWaiting(trx, { id: RUN, now: 1 }, WAITS)),
    ],
    ['submissions.recordIntent', (world) => recordIntent(world, ['c-2'])],
    ['submissions.recordAccepted', (world) => accept(world, ['c-1'])],
    [
      'submissions.recordLost',
      ({ store, lease }) =>
        store.checkpoint(lease, (trx) => recordLostSubmission(trx, 'submission-1')),
    ],
    [
      'submissions.recordRefused',
      ({ store, lease }) =>
        store.checkpoint(lease, (trx) => recordRefusedSubmission(trx, 'submission-1')),
    ],
    [
      'submissions.settleLost, not charged',
      (world) => settleLost(world, { id: 'submission-1', run: null, loss: null }, 1),
    ],
    ['submissions.settleLost, charged', (world) => chargeLoss(world, 'hold')],
    [
      'jobs.recordProgress',
      ({ store, lease }) => store.checkpoint(lease, (trx) => recordJobProgress(trx, RUN, NOTHING)),
    ],
    [
      'deliveries.recordIntended',
      ({ store, lease }) =>
        recordIntendedWrites(store, lease, RUN, [
          {
            id: 'write-1',
            crmId: 'c-1',
            before: '',
            after: {},
            ownedBefore: {},
            donorBefore: null,
            donor: null,
            introducer: '',
            contact: 'fingerprint of c-1',
            introduced: {},
            named: {},
            called: null,
          },
        ]),
    ],
    [
      'deliveries.recordDeliveries',
      ({ store, lease }) => store.checkpoint(lease, (trx) => recordDeliveries(trx, RUN, [])),
    ],
    [
      'deliveries.recordUndone',
      ({ store, lease }) =>
        store.checkpoint(lease, (trx) =>
          recordUndoneWrite(trx, fromRow(WRITE), {
            owned: { Age: 'fingerprint' },
            left: {},
          }),
        ),
    ],
    [
      'integrations.pinAccount',
      ({ store, lease }) => store.checkpoint(lease, (trx) => pinCrmAccount(trx, 'a')),
    ],
    [
      'integrations.resetCursor',
      ({ store, lease }) => store.checkpoint(lease, (trx) => resetCursor(trx, 's', 'run')),
    ],
  ])('gets the error from %s, and nothing is written', async (_query, write) => {
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
    await expect(
      store.checkpoint(world.lease, (trx) => recordLostSubmission(trx, 'submission-1')),
    ).rejects.toThrow(LeaseLost);
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
  donor_before: null,
  donor: null,
  introducer: '',
  introduced: null,
  named: null,
  called: null,
  written_at: START_MS,
} as const;
const WAITS = {
  due: 'submission_pending',
  submitted: 'job_running',
  unsettled: 'settlement_pending',
  ready: 'delivery_pending',
  only: null,
} as const;
