import { expect, it } from 'vitest';
import {
  askAboutNetwork,
  settleNetworkQuestion,
} from '../../../src/decisions/statements/network-questions.ts';
import {
  findQuestion,
  listOpenQuestions,
  recordDecision,
} from '../../../src/decisions/statements/questions.ts';
import {
  type AddIntent,
  findSpendMark,
  findUnansweredAdd,
  getNetworkCreditsByRun,
  getNetworkCreditsSince,
  listAdds,
  type MemberEnd,
  recordAddAccepted,
  recordAddEnds,
  recordAddIntent,
  recordAddLost,
  recordAddRefused,
} from '../../../src/networks/statements/network-adds.ts';
import {
  beginNetworkCounts,
  listNetworkCounts,
} from '../../../src/networks/statements/network-counts.ts';
import {
  listNetworkMembers,
  recordLeavingMembers,
  recordRemovedMembers,
} from '../../../src/networks/statements/network-members.ts';
import {
  bindNetwork,
  isNetworkTaken,
  listNetworks,
  listWantedMembers,
  recordGroupMembers,
  recordMirroredGroups,
} from '../../../src/networks/statements/networks.ts';
import {
  choose,
  contactOf,
  contactRow,
  crmIds,
  putContacts,
  readContact,
  readPage,
} from '../../contacts/contact-stages.ts';
import {
  BALANCE,
  INTEGRATION,
  KEY,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const BOARD = { id: 'net-board', selector: 'fingerprint of board', name: 'Board' };

/** Creates one group that no run has read yet. */
async function withBoard(createWorld: () => Promise<StoreWorld>): Promise<StoreWorld> {
  const world = await createWorld();
  await world.store.checkpoint(world.lease, (trx) => recordMirroredGroups(trx, [BOARD]));
  return world;
}

/**
 * Records an intent, as a process does after it has read the balance. `spendMark` is the mark at which it read the
 * balance.
 */
async function intend(
  { store, lease }: StoreWorld,
  donorIds: readonly string[],
  { id = 'add-1', partnerKey = KEY, spendMark }: Partial<AddIntent> = {},
): Promise<boolean> {
  return store.checkpoint(lease, async (trx) =>
    recordAddIntent(trx, {
      id,
      partnerKey,
      donorIds,
      runId: RUN,
      network: BOARD.id,
      networkId: 'n-1',
      balanceBefore: BALANCE,
      spendMark: spendMark ?? (await findSpendMark(trx, partnerKey)),
    }),
  );
}

async function statesOf({ store }: StoreWorld): Promise<Record<string, string>> {
  const members = await listNetworkMembers(store.reader, BOARD.id);
  return Object.fromEntries(members.map(({ donorId, state }) => [donorId, state]));
}

describeEachDatabase('networks', (open) => {
  const createWorld = storeWorlds(open);

  it('keep the name that the service knows, and the selector of the settings', async () => {
    const { store, lease } = await withBoard(createWorld);
    await store.checkpoint(lease, (trx) =>
      recordMirroredGroups(trx, [{ ...BOARD, name: 'Trustees' }]),
    );
    expect(await listNetworks(store.reader, INTEGRATION)).toMatchObject([{ name: 'Trustees' }]);
    const bound = { id: BOARD.id, networkId: 'n-1', name: 'Trustees', partnerKey: 'key' };
    expect(await store.checkpoint(lease, (trx) => bindNetwork(trx, bound, ['donor-1']))).toBe(true);
    await store.checkpoint(lease, (trx) =>
      recordMirroredGroups(trx, [{ ...BOARD, selector: 'another' }]),
    );
    expect(await listNetworks(store.reader, INTEGRATION)).toMatchObject([
      { name: 'Trustees', selector: 'another', networkId: 'n-1', readRun: null },
    ]);
  });

  it('mirror one group each: of two that take the same network the first one has it', async () => {
    const { store, lease } = await withBoard(createWorld);
    await store.checkpoint(lease, (trx) =>
      recordMirroredGroups(trx, [{ ...BOARD, id: 'other', selector: 'other' }]),
    );
    const bound = { networkId: 'n-1', name: 'Board', partnerKey: 'key' };
    const both = await Promise.all([
      store.checkpoint(lease, (trx) => bindNetwork(trx, { ...bound, id: BOARD.id }, [])),
      store.checkpoint(lease, (trx) => bindNetwork(trx, { ...bound, id: 'other' }, ['donor-1'])),
    ]);
    expect(both.sort()).toEqual([false, true]);
    const rows = await listNetworks(store.reader, INTEGRATION);
    expect(rows.filter(({ networkId }) => networkId === 'n-1')).toHaveLength(1);
    const [owner] = rows.filter(({ networkId }) => networkId === 'n-1');
    expect(await isNetworkTaken(store.reader, 'n-1', owner?.id ?? '')).toBe(false);
    expect(await isNetworkTaken(store.reader, 'n-1', 'another')).toBe(true);
    expect(await isNetworkTaken(store.reader, 'n-2', 'another')).toBe(false);
  });

  it('replace the members of a group, and move those who are due to the front', async () => {
    const world = await withBoard(createWorld);
    const { store, lease } = world;
    const ids = crmIds(230);
    const [first = '', second = '', third = ''] = ids;
    await readPage(
      world,
      [first, second].map((id) => readContact(id)),
      choose(2),
    );
    await putContacts(world, [contactRow({ crm_id: third, priority: 2 })]);
    await store.checkpoint(lease, (trx) =>
      recordGroupMembers(trx, RUN, BOARD.id, [...ids.slice(1), second]),
    );
    expect(await listWantedMembers(store.reader, [BOARD.id])).toEqual(new Set(ids.slice(1)));
    expect(await contactOf(world, first)).toMatchObject({ priority: 2 });
    expect(await contactOf(world, second)).toMatchObject({ priority: 0 });
    expect(await contactOf(world, third)).toMatchObject({ priority: 2 });
    await store.checkpoint(lease, (trx) => recordGroupMembers(trx, 'run-2', BOARD.id, [first]));
    expect(await listWantedMembers(store.reader, [BOARD.id])).toEqual(new Set([first]));
    expect(await listNetworks(store.reader, INTEGRATION)).toMatchObject([
      { readRun: 'run-2', readAt: START_MS },
    ]);
    await eraseContact(store, INTEGRATION, first);
    expect(await listWantedMembers(store.reader, [BOARD.id])).toEqual(new Set());
  });

  it('let one bulk add of a key wait for its answer, also across integrations', async () => {
    const world = await withBoard(createWorld);
    const { store, lease } = world;
    expect(await intend(world, ['donor-1'])).toBe(true);
    expect(await intend(world, ['donor-2'], { id: 'add-2' })).toBe(false);
    expect(await statesOf(world)).toEqual({ 'donor-1': 'adding' });
    expect(await intend(world, ['donor-3'], { id: 'add-3', partnerKey: 'key-2' })).toBe(true);
    expect(await findUnansweredAdd(store.reader, KEY, 'lakeside')).toMatchObject({ id: 'add-1' });
    await store.checkpoint(lease, (trx) => recordAddLost(trx, 'add-1'));
    expect(await intend(world, ['donor-2'], { id: 'add-2' })).toBe(false);
    await store.checkpoint(lease, (trx) => recordAddAccepted(trx, 'add-1', 'job-1'));
    expect(await findUnansweredAdd(store.reader, KEY, 'lakeside')).toBeUndefined();
    expect(await findUnansweredAdd(store.reader, KEY, INTEGRATION)).toMatchObject({ id: 'add-3' });
    expect(await intend(world, ['donor-2'], { id: 'add-2' })).toBe(true);
    expect(await listAdds(store.reader, INTEGRATION, 'running')).toMatchObject([
      { id: 'add-1', jobId: 'job-1' },
    ]);
  });

  it('let no bulk add go that knows of less than the key has spent', async () => {
    const world = await withBoard(createWorld);
    const { store, lease } = world;
    const atFirst = await findSpendMark(store.reader, KEY);
    await intend(world, ['donor-1']);
    const unanswered = await findSpendMark(store.reader, KEY);
    await store.checkpoint(lease, (trx) => recordAddAccepted(trx, 'add-1', 'job-1'));
    const [earlier, later] = [{ id: 'add-2', spendMark: atFirst }, { id: 'add-2' }];
    expect(await intend(world, ['donor-2'], earlier)).toBe(false);
    // The product cannot know whether the service charged the other request before or after the product read the
    // balance.
    expect(await intend(world, ['donor-2'], { ...earlier, spendMark: unanswered })).toBe(false);
    expect(await statesOf(world)).toEqual({ 'donor-1': 'adding' });
    expect(await intend(world, ['donor-2'], later)).toBe(true);
  });

  it('give each donor of a bulk add its end, and count what it cost', async () => {
    const world = await withBoard(createWorld);
    const { store, lease } = world;
    await store.checkpoint(lease, (trx) => beginNetworkCounts(trx, RUN, [BOARD]));
    await intend(world, ['donor-1', 'donor-2', 'donor-3', 'donor-4', 'donor-5', 'donor-6']);
    expect(await getNetworkCreditsByRun(store.reader, RUN)).toBe(6);
    await store.checkpoint(lease, (trx) => recordAddAccepted(trx, 'add-1', 'job-1'));
    const ends = new Map<string, MemberEnd>([
      ['donor-1', { kind: 'added' }],
      ['donor-2', { kind: 'already' }],
      ['donor-3', { kind: 'not_found' }],
      ['donor-4', { kind: 'failed', detail: 'job_failed' }],
      ['donor-5', { kind: 'failed', detail: 'member_failed' }],
      ['donor-6', { kind: 'unpaid' }],
    ]);
    const add = { id: 'add-1', network: BOARD.id };
    await store.checkpoint(lease, (trx) =>
      recordAddEnds(trx, RUN, add, ends, { state: 'done', charged: 5 }),
    );
    expect(await listNetworkMembers(store.reader, BOARD.id)).toMatchObject([
      { donorId: 'donor-1', state: 'member' },
      { donorId: 'donor-2', state: 'member' },
      { donorId: 'donor-3', state: 'not_found' },
      { donorId: 'donor-4', state: 'failed', detail: 'job_failed' },
      { donorId: 'donor-5', state: 'failed', detail: 'member_failed' },
    ]);
    expect(await listNetworkCounts(store.reader, RUN)).toEqual([
      { name: 'Board', added: 1, removed: 0, kept: 1, failed: 3 },
    ]);
    expect(await getNetworkCreditsByRun(store.reader, RUN)).toBe(5);
    expect(await getNetworkCreditsSince(store.reader, INTEGRATION, START_MS)).toBe(5);
    expect(await getNetworkCreditsSince(store.reader, INTEGRATION, START_MS + 1)).toBe(0);
    await store.checkpoint(lease, (trx) => recordLeavingMembers(trx, BOARD.id, ['donor-1']));
    await store.checkpoint(lease, (trx) => recordRemovedMembers(trx, RUN, BOARD.id, ['donor-1']));
    expect(await listNetworkCounts(store.reader, RUN)).toMatchObject([{ removed: 1 }]);
  });

  it('make the donors of a refused bulk add joiners again, without a cost', async () => {
    const world = await withBoard(createWorld);
    await intend(world, ['donor-1', 'donor-2']);
    await world.store.checkpoint(world.lease, (trx) => recordAddRefused(trx, 'add-1'));
    expect(await statesOf(world)).toEqual({});
    expect(await getNetworkCreditsByRun(world.store.reader, RUN)).toBe(0);
    expect(await intend(world, ['donor-1'], { id: 'add-2' })).toBe(true);
  });

  it('write nothing for a process that was overtaken', async () => {
    const world = await withBoard(createWorld);
    await takeLease(world.store, INTEGRATION);
    await expect(intend(world, ['donor-1'])).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await statesOf(world)).toEqual({});
  });
});

describeEachDatabase('holds of networks', (open) => {
  const createWorld = storeWorlds(open);

  it('ask the same once, and remember the decision until the matter is over', async () => {
    const { store, lease } = await withBoard(createWorld);
    const ask = (id: string, matter: string) =>
      store.checkpoint(lease, (trx) =>
        askAboutNetwork(trx, {
          id,
          matter,
          network: BOARD.id,
          detail: '6 of 9',
          kind: 'group_shrunk',
        }),
      );
    expect(await ask('hold-1', 'these six')).toBe('open');
    expect(await ask('hold-2', 'these six')).toBe('open');
    expect(await ask('hold-3', 'other six')).toBe('open');
    const [hold, ...more] = await listOpenQuestions(store.reader, INTEGRATION);
    expect(more).toEqual([]);
    if (!hold) throw new Error('nothing is open');
    expect(hold).toMatchObject({ id: 'hold-3', name: 'Board', openedAt: START_MS });
    expect(await findQuestion(store.reader, 'hold-1')).toMatchObject({ decision: 'superseded' });
    expect(await recordDecision(store, hold, 'rejected')).toBe(true);
    expect(await recordDecision(store, hold, 'approved')).toBe(false);
    expect(await ask('hold-4', 'other six')).toBe('rejected');
    expect(await listOpenQuestions(store.reader)).toEqual([]);
    await store.checkpoint(lease, (trx) => settleNetworkQuestion(trx, BOARD.id, 'group_shrunk'));
    expect(await ask('hold-5', 'other six')).toBe('open');
    expect(await listOpenQuestions(store.reader, 'lakeside')).toEqual([]);
  });

  it('forget the members of a deleted network once it is to be made anew', async () => {
    const world = await withBoard(createWorld);
    const { store, lease } = world;
    await store.checkpoint(lease, (trx) =>
      bindNetwork(trx, { ...BOARD, networkId: 'n-1', partnerKey: 'key' }, ['donor-1']),
    );
    const question = { network: BOARD.id, kind: 'network_deleted', detail: '1' } as const;
    await store.checkpoint(lease, (trx) =>
      askAboutNetwork(trx, { ...question, id: 'hold-1', matter: 'n-1' }),
    );
    const [hold] = await listOpenQuestions(store.reader);
    if (!hold) throw new Error('nothing is open');
    await recordDecision(store, hold, 'approved');
    expect(await statesOf(world)).toEqual({});
    expect(await listNetworks(store.reader, INTEGRATION)).toMatchObject([{ networkId: null }]);
  });
});
