import { expect, it } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import {
  recordAcceptedSubmission,
  recordRefusedSubmission,
} from '../../../src/credits/statements/answers.ts';
import { findKeyBalance } from '../../../src/credits/statements/balances.ts';
import { recordSubmissionIntent } from '../../../src/credits/statements/intents.ts';
import {
  recordLostSubmission,
  settleLostSubmissions,
} from '../../../src/credits/statements/lost-answers.ts';
import { findOpenPersons } from '../../../src/credits/statements/paid-jobs.ts';
import { listOpenSubmissions } from '../../../src/credits/statements/submissions.ts';
import type { Lease } from '../../../src/database/leases.ts';
import {
  accept,
  intendedJob,
  readContact,
  readPage,
  SHARING,
  settleLost,
} from '../../contacts/contact-stages.ts';
import {
  BALANCE,
  everything,
  INTEGRATION,
  KEY,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

/** Stores a new submission of one contact, in addition to the open submissions. */
async function intend(
  world: Pick<StoreWorld, 'store'> & { lease: Lease },
  crmId: string,
  options: { atOnce?: number; keep?: number; person?: string } = {},
) {
  const { person = null, ...limits } = options;
  return recordSubmissionIntent(world.store.checkpoint, world.lease, {
    submissionId: `submission of ${crmId}`,
    runId: RUN,
    partnerKey: KEY,
    mapping: 'mapping',
    jobs: [intendedJob(crmId, person)],
    sharing: SHARING,
    atOnce: 6,
    ...limits,
  });
}

const BUSY = { recorded: false, why: 'key_busy' };

describeEachDatabase('submissions of a key that are open together', (open) => {
  const createWorld = storeWorlds(open);

  async function withContacts(count: number): Promise<StoreWorld> {
    const world = await createWorld();
    const ids = Array.from({ length: count }, (_, index) => `c-${index + 1}`);
    await readPage(
      world,
      ids.map((id) => readContact(id)),
    );
    return world;
  }

  it('have a slot each, six at most, and a free one is taken again', async () => {
    const world = await withContacts(8);
    for (const id of ['c-1', 'c-2', 'c-3', 'c-4', 'c-5', 'c-6']) {
      expect(await intend(world, id)).toEqual({ recorded: true, balanceBefore: BALANCE });
    }
    expect(await intend(world, 'c-7')).toEqual(BUSY);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRefusedSubmission(trx, 'submission of c-3'),
    );
    expect(await intend(world, 'c-7')).toMatchObject({ recorded: true });
    const rows = await listOpenSubmissions(world.store.reader, KEY);
    expect(rows.map(({ id, slot }) => [id.slice(-3), slot])).toEqual([
      ['c-1', 1],
      ['c-2', 2],
      ['c-7', 3],
      ['c-4', 4],
      ['c-5', 5],
      ['c-6', 6],
    ]);
  });

  it('come one after the other where several are put on disk at the same time', async () => {
    const world = await withContacts(1);
    const worlds = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(async (name) => {
        const lease = await takeLease(world.store, `integration-${name}`);
        await readPage({ ...world, lease }, [readContact(`c-${name}`)]);
        return { name, store: world.store, lease };
      }),
    );
    const results = await Promise.all(worlds.map((each) => intend(each, `c-${each.name}`)));
    expect(results.filter(({ recorded }) => recorded)).toHaveLength(6);
    const slots = (await listOpenSubmissions(world.store.reader, KEY)).map(({ slot }) => slot);
    expect(slots).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('let no other beside them once one is lost', async () => {
    const world = await withContacts(3);
    await intend(world, 'c-1');
    await intend(world, 'c-2');
    await world.store.checkpoint(world.lease, (trx) =>
      recordLostSubmission(trx, 'submission of c-1'),
    );
    expect(await intend(world, 'c-3')).toEqual(BUSY);
  });

  it('leave together what is to be kept', async () => {
    const world = await withContacts(3);
    await intend(world, 'c-1');
    expect(await intend(world, 'c-2', { keep: BALANCE - 1 })).toEqual(BUSY);
    expect(await intend(world, 'c-2', { keep: BALANCE - 2 })).toMatchObject({ recorded: true });
  });

  it('leave it also after another has come back that was not charged yet when the balance was read', async () => {
    const world = await withContacts(2);
    await intend(world, 'c-1');
    await accept(world, ['c-1'], 'submission of c-1');
    const late = await intend(world, 'c-2', { keep: BALANCE - 1 });
    expect(late).toEqual({ recorded: false, why: 'balance_changed' });
    expect(await intend(world, 'c-2', { keep: BALANCE - 2 })).toMatchObject({ recorded: true });
  });

  it('hold no person twice', async () => {
    const world = await withContacts(2);
    await intend(world, 'c-1', { person: 'ada' });
    expect(await intend(world, 'c-2', { person: 'ada' })).toEqual({
      recorded: false,
      why: 'person_open',
    });
    expect(await findOpenPersons(world.store.reader, KEY, [{ person: 'ada' }])).toEqual(
      new Set(['ada']),
    );
    expect(
      await findOpenPersons(world.store.reader, 'key-2', [{ person: 'ada' }]).then((s) => s.size),
    ).toBe(0);
  });

  it('are settled by one balance, all or none', async () => {
    const world = await withContacts(3);
    const { store, lease } = world;
    await intend(world, 'c-1');
    await intend(world, 'c-2');
    await intend(world, 'c-3');
    await store.checkpoint(lease, (trx) =>
      recordAcceptedSubmission(trx, 'submission of c-3', {
        jobIds: new Map(),
        charged: 1,
      }),
    );
    const unpaid = { id: 'submission of c-1', run: null, loss: null };
    const loss = { charged: 1, afterwards: 'hold', detail: 'gone' } as const;
    const before = await everything(world.db);
    // One submission says nothing about a different submission. A balance from before the end of another submission
    // also says nothing.
    expect(await settleLost(world, unpaid, BALANCE - 1)).toBe(false);
    const ends = [unpaid, { id: 'submission of c-2', run: null, loss }];
    const settlement = { partnerKey: KEY, sequence: 0, balance: BALANCE - 2, ends };
    expect(await settleLostSubmissions(store.leases, [lease], settlement)).toBe(false);
    expect(await everything(world.db)).toEqual(before);
    expect(await settleLostSubmissions(store.leases, [lease], { ...settlement, sequence: 1 })).toBe(
      true,
    );
    const rows = await findContacts(store.reader, INTEGRATION, ['c-1', 'c-2']);
    expect([...rows.values()].map(({ state }) => state).sort()).toEqual(['due', 'held']);
    expect(await findKeyBalance(store.reader, KEY)).toMatchObject({ balance: BALANCE - 2 });
  });

  it('are settled at one moment, also where the process stands still meanwhile', async () => {
    const world = await withContacts(2);
    await intend(world, 'c-1');
    await intend(world, 'c-2');
    let nowMs = START_MS;
    world.clock.now = () => {
      nowMs += 60_000;
      return nowMs;
    };
    const loss = { charged: 1, afterwards: 'hold', detail: 'gone' } as const;
    const ends = ['c-1', 'c-2'].map((id) => ({ id: `submission of ${id}`, run: null, loss }));
    const settlement = { partnerKey: KEY, sequence: 0, balance: BALANCE - 2, ends };
    await settleLostSubmissions(world.store.leases, [world.lease], settlement);
    const closed = await world.db.selectFrom('submissions').select('closed_at').execute();
    expect(closed).toHaveLength(2);
    expect(closed[0]).toEqual(closed[1]);
  });

  it('of several integrations are settled under the leases of all', async () => {
    const world = await withContacts(1);
    const { store } = world;
    const other = await takeLease(store, 'lakeside');
    await readPage({ ...world, lease: other }, [readContact('c-2')]);
    await intend(world, 'c-1');
    await intend({ store, lease: other }, 'c-2');
    const ends = ['c-1', 'c-2'].map((id) => ({
      ...{ id: `submission of ${id}`, run: null, loss: null },
    }));
    const settlement = { partnerKey: KEY, sequence: 0, balance: BALANCE, ends };
    expect(await settleLostSubmissions(store.leases, [world.lease], settlement)).toBe(false);
    await takeLease(store, 'lakeside');
    await expect(
      settleLostSubmissions(store.leases, [world.lease, other], settlement),
    ).rejects.toThrow('taken over');
    expect(await listOpenSubmissions(store.reader, KEY)).toHaveLength(2);
    const successor = await takeLease(store, 'lakeside');
    expect(await settleLostSubmissions(store.leases, [world.lease, successor], settlement)).toBe(
      true,
    );
    expect(await listOpenSubmissions(store.reader, KEY)).toEqual([]);
  });
});

describeEachDatabase('submissions of a run that goes on', (open) => {
  const createWorld = storeWorlds(open);

  it('are settled beside those of another one once they are lost, and not before', async () => {
    const world = await createWorld();
    const { store, lease } = world;
    const other = await takeLease(store, 'lakeside');
    await readPage(world, [readContact('c-1')]);
    await readPage({ ...world, lease: other }, [readContact('c-2')]);
    await intend(world, 'c-1');
    await intend({ store, lease: other }, 'c-2');
    const loss = { charged: 1, afterwards: 'hold', detail: 'gone' } as const;
    const ends = [
      { id: 'submission of c-1', run: null, loss: null },
      { id: 'submission of c-2', run: null, loss },
    ];
    const settlement = { partnerKey: KEY, sequence: 0, balance: BALANCE - 1, ends };
    expect(await settleLostSubmissions(store.leases, [lease], settlement, ['lakeside'])).toBe(
      false,
    );
    await store.checkpoint(other, (trx) => recordLostSubmission(trx, 'submission of c-2'));
    expect(await settleLostSubmissions(store.leases, [lease], settlement)).toBe(false);
    expect(await settleLostSubmissions(store.leases, [lease], settlement, ['lakeside'])).toBe(true);
    expect(await listOpenSubmissions(store.reader, KEY)).toEqual([]);
    const held = await findContacts(store.reader, 'lakeside', ['c-2']);
    expect(held.get('c-2')).toMatchObject({ state: 'held', outcomeReason: 'lost_answer' });
    // The submission's own run also tried to settle the submission, but too late. That run still has its lease.
    expect(await settleLostSubmissions(store.leases, [other], settlement, [INTEGRATION])).toBe(
      false,
    );
    await store.leases.renew(other);
  });
});
