import { expect, it } from 'vitest';
import type { ContactRecord } from '../../src/store/contacts/contacts.ts';
import type { Decision } from '../../src/store/contacts/decided-pages.ts';
import { fromRow } from '../../src/store/engine/from-row.ts';
import { ROWS_PER_TRANSACTION } from '../../src/store/engine/rows.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import {
  choose,
  contactOf,
  contactRow,
  crmIds,
  holdForName,
  holdOf,
  makeReady,
  noting,
  putContacts,
  type ReadTestContact,
  readContact,
  readPage,
  runRow,
  start,
  trackingIdOf,
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

const KEEP: Decision = { kind: 'keep' };
const SETTLE_FRESH: Decision = { kind: 'settle', reason: 'profile_fresh', eligible: true };
const SETTLE_OPTED_OUT: Decision = { kind: 'settle', reason: 'opted_out', eligible: false };

/** Just over two portions of one transaction. */
const MANY = 2 * ROWS_PER_TRANSACTION + 3;

describeEachDatabase('recordPage', (open) => {
  const createWorld = storeWorlds(open);

  it('makes chosen contacts due and settles the others, each with its reason', async () => {
    const { store, lease, ...world } = await createWorld();
    const decisions: Record<string, Decision> = {
      'c-1': choose(),
      'c-2': SETTLE_OPTED_OUT,
      'c-3': SETTLE_FRESH,
    };
    await store.contacts.recordPage(
      lease,
      { runId: RUN, contacts: ['c-1', 'c-2', 'c-3'].map((id) => readContact(id)), ...NO_MORE },
      noting(({ crmId }) => decisions[crmId] ?? KEEP),
    );
    const rows = await store.contacts.find(INTEGRATION, ['c-1', 'c-2', 'c-3']);
    expect(rows.get('c-1')).toEqual({
      integrationId: INTEGRATION,
      crmId: 'c-1',
      state: 'due',
      identity: 'identity of c-1',
      eligible: 1,
      dueReason: 'never_enhanced',
      priority: 1,
      askedIdentity: null,
      askedAt: null,
      trackingId: null,
      donorId: null,
      enhancedAt: null,
      ownedValues: '{}',
      outcomeReason: 'submission_pending',
      outcomeRun: RUN,
      outcomeAt: START_MS,
      outcomeDetail: null,
      seenRun: RUN,
    });
    expect(rows.get('c-2')).toMatchObject({
      state: 'settled',
      eligible: 0,
      dueReason: null,
      outcomeReason: 'opted_out',
    });
    expect(rows.get('c-3')).toMatchObject({
      state: 'settled',
      eligible: 1,
      outcomeReason: 'profile_fresh',
    });
    expect(await runRow({ ...world, store, lease })).toMatchObject({
      read_count: 3,
      chosen_count: 1,
    });
  });

  it('asks the decision with what is known of each contact, and without that for a new contact', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', donor_id: 'donor-7' }),
      contactRow({ crm_id: 'c-2', integration_id: 'lakeside' }),
    ]);
    const asked = new Map<string, string | null | undefined>();
    await world.store.contacts.recordPage(
      world.lease,
      { runId: RUN, contacts: [readContact('c-1'), readContact('c-2')], ...NO_MORE },
      noting(({ crmId }, row) => {
        asked.set(crmId, row?.donorId);
        return KEEP;
      }),
    );
    expect([...asked]).toEqual([
      ['c-1', 'donor-7'],
      ['c-2', undefined],
    ]);
  });

  it('keeps what is remembered of a contact that it chooses again', async () => {
    const world = await createWorld();
    const remembered = {
      asked_identity: 'an older identity',
      asked_at: 5,
      donor_id: 'donor-7',
      enhanced_at: 6,
      owned_values: '{"Age":"fingerprint"}',
    };
    await putContacts(world, [contactRow({ crm_id: 'c-1', ...remembered, outcome_detail: 'old' })]);
    await readPage(world, [readContact('c-1', 'a new identity')], {
      kind: 'choose',
      reason: 'identity_changed',
      priority: 2,
    });
    expect(await contactOf(world, 'c-1')).toMatchObject({
      ...remembered,
      state: 'due',
      identity: 'a new identity',
      due_reason: 'identity_changed',
      priority: 2,
      outcome_detail: null,
    });
  });

  it.each<['submitted' | 'ready', (world: StoreWorld) => Promise<unknown>]>([
    ['submitted', (world) => start(world, ['c-1'])],
    ['ready', (world) => makeReady(world, ['c-1'])],
  ])('never moves a contact out of %s, whatever is decided', async (state, bring) => {
    const world = await createWorld();
    await bring(world);
    const before = await contactOf(world, 'c-1');
    for (const decision of [choose(), SETTLE_FRESH, SETTLE_OPTED_OUT]) {
      await readPage(world, [readContact('c-1', 'a new identity')], decision);
      expect(await contactOf(world, 'c-1')).toEqual(before);
    }
    expect(before.state).toBe(state);
  });

  it('notes the identity of a contact that it keeps, and that the run saw it', async () => {
    const world = await createWorld();
    await start(world, ['c-1', 'c-2']);
    const before = await contactOf(world, 'c-1');
    await readInSecondRun(world, [readContact('c-1', 'a new identity'), readContact('c-2')]);
    expect(await contactOf(world, 'c-1')).toEqual({
      ...before,
      identity: 'a new identity',
      seen_run: 'run-2',
    });
    expect(await contactOf(world, 'c-2')).toMatchObject({ identity: 'identity of c-2' });
    expect(await world.store.runs.find('run-2')).toMatchObject({ readCount: 2, chosenCount: 0 });
  });

  it('counts a contact that still waits for a person among the outcomes of its run', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await readInSecondRun(world, [readContact('c-1')]);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'held',
      outcome_reason: 'name_mismatch',
      outcome_run: 'run-2',
    });
  });

  async function readInSecondRun(world: StoreWorld, contacts: ReadTestContact[]): Promise<void> {
    const { store, lease } = world;
    await store.runs.begin(lease, 'run-2', 'manual', null);
    await store.contacts.recordPage(
      lease,
      { runId: 'run-2', contacts, ...NO_MORE },
      noting(() => KEEP),
    );
  }

  it('counts each contact of a page once, by its last reading', async () => {
    const world = await createWorld();
    await readPage(world, [
      readContact('c-1', 'first'),
      readContact('c-2'),
      readContact('c-1', 'last'),
    ]);
    expect(await contactOf(world, 'c-1')).toMatchObject({ identity: 'last' });
    expect(await runRow(world)).toMatchObject({ read_count: 2, chosen_count: 2 });
  });

  it('counts a contact as chosen once, however often its run reads it', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-1')]);
    await readPage(world, [readContact('c-1')]);
    expect(await runRow(world)).toMatchObject({ read_count: 2, chosen_count: 1 });
  });

  it('decides a page of any length', async () => {
    const world = await createWorld();
    const ids = crmIds(237);
    await readPage(
      world,
      ids.map((id) => readContact(id)),
    );
    expect([...(await world.store.contacts.find(INTEGRATION, ids)).keys()].sort()).toEqual(ids);
    expect(await runRow(world)).toMatchObject({ read_count: 237, chosen_count: 237 });
  });

  it('moves the watermark of its integration, and leaves it where a page has none', async () => {
    const { store, lease } = await createWorld();
    await takeLease(store, 'lakeside');
    const page = { runId: RUN, contacts: [], removed: [] };
    await store.contacts.recordPage(
      lease,
      { ...page, cursor: 'page-7' },
      noting(() => KEEP),
    );
    await store.contacts.recordPage(
      lease,
      { ...page, cursor: null },
      noting(() => KEEP),
    );
    expect((await store.integrations.findState(INTEGRATION)).cursor).toBe('page-7');
    expect((await store.integrations.findState('lakeside')).cursor).toBeNull();
  });

  it('changes nothing at all if a decision fails', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-000']);
    const before = await everything(world.db);
    const page = {
      runId: RUN,
      contacts: crmIds(140).map((id) => readContact(id, 'a new identity')),
      removed: [{ id: 'c-000', mergedInto: null }],
      cursor: 'page-7',
    };
    const decide = noting(({ crmId }) => {
      if (crmId === 'c-139') throw new Error('the decision failed');
      return choose();
    });
    const recording = world.store.contacts.recordPage(world.lease, page, decide);
    await expect(recording).rejects.toThrow('the decision failed');
    expect(await everything(world.db)).toEqual(before);
  });

  it('removes contacts that are gone from the CRM, and says if they were merged', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await putContacts(world, [
      contactRow({ crm_id: 'c-2', state: 'due', due_reason: 'never_enhanced' }),
      contactRow({ crm_id: 'c-3', state: 'due', integration_id: 'lakeside' }),
    ]);
    await world.store.contacts.recordPage(
      world.lease,
      {
        runId: RUN,
        contacts: [],
        removed: [
          { id: 'c-1', mergedInto: null },
          { id: 'c-2', mergedInto: 'c-9' },
          { id: 'c-3', mergedInto: null },
          { id: 'c-unknown', mergedInto: null },
        ],
        cursor: null,
      },
      noting(() => KEEP),
    );
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'removed',
      outcome_reason: 'deleted_in_crm',
    });
    expect(await holdOf(world, 'c-1')).toMatchObject({
      decision: 'superseded',
      decidedAt: START_MS,
    });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      state: 'removed',
      due_reason: null,
      outcome_reason: 'merged_in_crm',
    });
    expect((await world.store.contacts.find('lakeside', ['c-3'])).get('c-3')?.state).toBe('due');
    expect(await world.store.contacts.find(INTEGRATION, ['c-unknown'])).toEqual(new Map());
  });

  it('leaves contacts whose credit is being spent to the stations, even if they are gone', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await world.store.contacts.recordPage(
      world.lease,
      { runId: RUN, contacts: [], removed: [{ id: 'c-1', mergedInto: null }], cursor: null },
      noting(() => KEEP),
    );
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'submitted' });
  });

  it('takes a contact up again that comes back', async () => {
    const world = await createWorld();
    await putContacts(world, [contactRow({ crm_id: 'c-1', state: 'removed' })]);
    await readPage(world, [readContact('c-1')], SETTLE_FRESH);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'settled' });
  });

  it.each([
    ['chosen again', choose(), 'due', null],
    // Should it opt in again, the person is asked again.
    ['settled', SETTLE_OPTED_OUT, 'settled', trackingIdOf('c-1')],
  ])('supersedes the hold of a contact that is %s', async (_case, decision, state, trackingId) => {
    const world = await createWorld();
    await holdForName(world, ['c-1', 'c-2']);
    await world.clock.advance(1_000);
    await readPage(world, [readContact('c-1', 'a new identity')], decision);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state, tracking_id: trackingId });
    expect(await holdOf(world, 'c-1')).toMatchObject({
      decision: 'superseded',
      decidedAt: START_MS + 1_000,
    });
    expect(await holdOf(world, 'c-2')).toMatchObject({ decision: null });
  });

  it('leaves the hold of a contact that it keeps to a person', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await readPage(world, [readContact('c-1')], KEEP);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'held',
      tracking_id: trackingIdOf('c-1'),
    });
    expect(await holdOf(world, 'c-1')).toMatchObject({ decision: null });
  });
});

describeEachDatabase('reconsider', (open) => {
  const createWorld = storeWorlds(open);

  it('asks for every settled contact whose credit is old enough, in portions', async () => {
    const world = await createWorld();
    const ids = crmIds(MANY);
    for (const portion of [ids.slice(0, 600), ids.slice(600)]) {
      await putContacts(
        world,
        portion.map((crm_id) => contactRow({ crm_id, asked_at: 99 })),
      );
    }
    const asked: string[] = [];
    const chosen = await world.store.contacts.reconsider(world.lease, RUN, 100, (row) => {
      asked.push(row.crmId);
      return row.crmId.endsWith('0')
        ? { kind: 'choose', reason: 'profile_old', priority: 2 }
        : SETTLE_FRESH;
    });
    expect(asked).toEqual([...ids].sort());
    const expected = ids.filter((id) => id.endsWith('0')).length;
    expect(chosen).toBe(expected);
    expect(await runRow(world)).toMatchObject({ chosen_count: expected, read_count: 0 });
    expect(await world.store.contacts.countWork(INTEGRATION)).toMatchObject({ due: expected });
    expect(await contactOf(world, 'c-010')).toMatchObject({
      state: 'due',
      due_reason: 'profile_old',
      priority: 2,
      outcome_reason: 'submission_pending',
      outcome_run: RUN,
    });
    expect(await contactOf(world, 'c-011')).toEqual(contactRow({ crm_id: 'c-011', asked_at: 99 }));
  });

  it('leaves out contacts that are fresh, under way, not eligible or of another integration', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'fresh', asked_at: 100 }),
      contactRow({ crm_id: 'never asked', asked_at: null }),
      contactRow({ crm_id: 'submitted', asked_at: 1, state: 'submitted' }),
      contactRow({ crm_id: 'held', asked_at: 1, state: 'held' }),
      contactRow({ crm_id: 'removed', asked_at: 1, state: 'removed' }),
      contactRow({ crm_id: 'opted out', asked_at: 1, eligible: 0 }),
      contactRow({ crm_id: 'elsewhere', asked_at: 1, integration_id: 'lakeside' }),
      contactRow({ crm_id: 'old', asked_at: 1 }),
    ]);
    const asked: string[] = [];
    await world.store.contacts.reconsider(world.lease, RUN, 100, (row) => {
      asked.push(row.crmId);
      return choose();
    });
    expect(asked).toEqual(['old']);
  });

  it('does not say that its run has seen a contact in the CRM', async () => {
    const world = await createWorld();
    await putContacts(world, [contactRow({ crm_id: 'c-1', asked_at: 1, seen_run: 'run-0' })]);
    await world.store.contacts.reconsider(world.lease, RUN, 100, () => choose());
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'due', seen_run: 'run-0' });
    await world.store.contacts.removeUnseen(world.lease, RUN);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', seen_run: '' });
  });
});

describeEachDatabase('listToReconsider', (open) => {
  const createWorld = storeWorlds(open);

  it('lists due and old contacts by id, over as many portions as there are', async () => {
    const world = await createWorld();
    const ids = crmIds(MANY);
    for (const portion of [ids.slice(0, 600), ids.slice(600)]) {
      await putContacts(
        world,
        portion.map((crm_id, index) =>
          contactRow({ crm_id, asked_at: 99, state: index % 2 === 0 ? 'due' : 'settled' }),
        ),
      );
    }
    const listed = await Array.fromAsync(world.store.contacts.listToReconsider(INTEGRATION, 100));
    expect(listed.map((row) => row.crmId)).toEqual([...ids].sort());
  });

  it('leaves out contacts about which a run would not think', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'due', state: 'due', asked_at: null }),
      contactRow({ crm_id: 'old', asked_at: 99 }),
      contactRow({ crm_id: 'fresh', asked_at: 100 }),
      contactRow({ crm_id: 'ready', state: 'ready', asked_at: 1 }),
      contactRow({ crm_id: 'opted out', state: 'due', eligible: 0 }),
      contactRow({ crm_id: 'elsewhere', state: 'due', integration_id: 'lakeside' }),
    ]);
    const listed = await Array.fromAsync(world.store.contacts.listToReconsider(INTEGRATION, 100));
    expect(listed.map((row) => row.crmId)).toEqual(['due', 'old']);
  });
});

describeEachDatabase('removeUnseen', (open) => {
  const createWorld = storeWorlds(open);

  it('removes contacts at rest that the run did not see', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'settled' }),
      contactRow({ crm_id: 'due', state: 'due', due_reason: 'profile_old' }),
      contactRow({ crm_id: 'seen', seen_run: RUN }),
      contactRow({ crm_id: 'submitted', state: 'submitted' }),
      contactRow({ crm_id: 'ready', state: 'ready' }),
      contactRow({ crm_id: 'elsewhere', integration_id: 'lakeside' }),
    ]);
    await world.store.contacts.removeUnseen(world.lease, RUN);
    const states = await world.db.selectFrom('contacts').select(['crm_id', 'state']).execute();
    expect(Object.fromEntries(states.map(({ crm_id, state }) => [crm_id, state]))).toEqual({
      settled: 'removed',
      due: 'removed',
      seen: 'settled',
      submitted: 'submitted',
      ready: 'ready',
      elsewhere: 'settled',
    });
    expect(await contactOf(world, 'due')).toMatchObject({
      due_reason: null,
      outcome_reason: 'deleted_in_crm',
      outcome_run: RUN,
      outcome_at: START_MS,
    });
  });

  it('leaves no open hold of a contact that it removes', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1', 'c-2']);
    await world.store.runs.begin(world.lease, 'run-2', 'manual', null);
    await world.store.contacts.recordPage(
      world.lease,
      { runId: 'run-2', contacts: [readContact('c-2')], ...NO_MORE },
      noting(() => KEEP),
    );
    await world.store.contacts.removeUnseen(world.lease, 'run-2');
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed' });
    expect(await holdOf(world, 'c-1')).toMatchObject({ decision: 'superseded' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'held' });
    expect(await holdOf(world, 'c-2')).toMatchObject({ decision: null });
  });

  it('does not touch what was removed before', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'removed', outcome_reason: 'merged_in_crm' }),
    ]);
    await world.store.contacts.removeUnseen(world.lease, RUN);
    expect(await contactOf(world, 'c-1')).toMatchObject({ outcome_reason: 'merged_in_crm' });
  });
});

describeEachDatabase('listDue', (open) => {
  const createWorld = storeWorlds(open);
  const ALL = { maxPriority: 2, limit: 100, only: null, withChanged: true };

  async function idsOf(rows: Promise<ContactRecord[]>): Promise<string[]> {
    return (await rows).map((row) => row.crmId);
  }

  it('lists due contacts by priority, then the longest unasked, then by id', async () => {
    const world = await createWorld();
    const due = { state: 'due' } as const;
    await putContacts(world, [
      contactRow({ crm_id: 'f', ...due, priority: 2, asked_at: 200 }),
      contactRow({ crm_id: 'e', ...due, priority: 2, asked_at: 200 }),
      contactRow({ crm_id: 'd', ...due, priority: 2, asked_at: 300 }),
      contactRow({ crm_id: 'a', ...due, priority: 1, asked_at: null }),
      contactRow({ crm_id: 'b', ...due, priority: 1, asked_at: null }),
      contactRow({ crm_id: 'z', ...due, priority: 0, asked_at: 400 }),
      contactRow({ crm_id: 'settled', priority: 0 }),
      contactRow({ crm_id: 'elsewhere', ...due, priority: 0, integration_id: 'lakeside' }),
    ]);
    const { contacts } = world.store;
    const order = ['z', 'a', 'b', 'e', 'f', 'd'];
    expect(await idsOf(contacts.listDue(INTEGRATION, ALL))).toEqual(order);
    expect(await idsOf(contacts.listDue(INTEGRATION, { ...ALL, limit: 2 }))).toEqual(['z', 'a']);
    expect(await idsOf(contacts.listDue(INTEGRATION, { ...ALL, maxPriority: 1 }))).toEqual([
      'z',
      'a',
      'b',
    ]);
  });

  it('lists the one contact that a run is for, if it is due', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'due' }),
      contactRow({ crm_id: 'c-2', state: 'due' }),
      contactRow({ crm_id: 'c-3' }),
    ]);
    const { contacts } = world.store;
    expect(await idsOf(contacts.listDue(INTEGRATION, { ...ALL, only: ['c-2'] }))).toEqual(['c-2']);
    expect(await idsOf(contacts.listDue(INTEGRATION, { ...ALL, only: ['c-3'] }))).toEqual([]);
  });
});

describeEachDatabase('findAnswered', (open) => {
  const createWorld = storeWorlds(open);

  it('names no request before the one whose profile a person is asked about', async () => {
    const world = await createWorld();
    const { contacts } = world.store;
    await holdForName(world, ['c-1']);
    await world.db.updateTable('jobs').set({ state: 'delivered', submitted_at: 1 }).execute();
    const older = await world.db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    const answered = { identity: older.identity, isLast: true };
    expect(await contacts.findAnswered(INTEGRATION, ['c-1'])).toEqual(new Map([['c-1', answered]]));
    const later = { ...older, tracking_id: 'later', state: 'held' as const, submitted_at: 2 };
    await world.db.insertInto('jobs').values(later).execute();
    expect(await contacts.findAnswered(INTEGRATION, ['c-1'])).toEqual(new Map());
  });
});

describeEachDatabase('settleDue', (open) => {
  const createWorld = storeWorlds(open);

  it('settles or removes due contacts that are not to be submitted after all', async () => {
    const world = await createWorld();
    await readPage(
      world,
      ['c-1', 'c-2', 'c-3'].map((id) => readContact(id)),
    );
    await world.clock.advance(1_000);
    await world.store.contacts.settleDue(world.lease, RUN, [
      { crmId: 'c-1', reason: 'opted_out', turnedOut: 'ineligible' },
      { crmId: 'c-2', reason: 'merged_in_crm', turnedOut: 'gone' },
    ]);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'settled',
      eligible: 0,
      due_reason: null,
      outcome_reason: 'opted_out',
      outcome_run: RUN,
      outcome_at: START_MS + 1_000,
    });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      state: 'removed',
      outcome_reason: 'merged_in_crm',
    });
    expect(await contactOf(world, 'c-3')).toMatchObject({ state: 'due' });
  });

  it('leaves who is not asked for any more as one that may be refreshed', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-1')]);
    await world.store.contacts.settleDue(world.lease, RUN, [
      { crmId: 'c-1', reason: 'no_match_known', turnedOut: 'fresh' },
    ]);
    const settled = { state: 'settled', due_reason: null, outcome_reason: 'no_match_known' };
    expect(await contactOf(world, 'c-1')).toMatchObject({ ...settled, eligible: 1 });
  });

  it('leaves contacts that are not due, or not of the integration, as they are', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await putContacts(world, [
      contactRow({ crm_id: 'c-2', state: 'due', integration_id: 'lakeside' }),
    ]);
    const before = (await everything(world.db))['contacts'];
    await world.store.contacts.settleDue(world.lease, RUN, [
      { crmId: 'c-1', reason: 'opted_out', turnedOut: 'ineligible' },
      { crmId: 'c-2', reason: 'opted_out', turnedOut: 'ineligible' },
    ]);
    expect((await everything(world.db))['contacts']).toEqual(before);
  });
});

describeEachDatabase('counts of work', (open) => {
  const createWorld = storeWorlds(open);

  it('counts the contacts of one integration in each state that means work', async () => {
    const world = await createWorld();
    const { contacts } = world.store;
    expect(await contacts.countWork(INTEGRATION)).toEqual({
      due: 0,
      submitted: 0,
      ready: 0,
      held: 0,
    });
    expect(await contacts.countUnderWay(INTEGRATION)).toBe(0);
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'due' }),
      contactRow({ crm_id: 'c-2', state: 'submitted' }),
      contactRow({ crm_id: 'c-3', state: 'submitted' }),
      contactRow({ crm_id: 'c-4', state: 'ready' }),
      contactRow({ crm_id: 'c-5', state: 'held' }),
      contactRow({ crm_id: 'c-6', state: 'settled' }),
      contactRow({ crm_id: 'c-7', state: 'removed' }),
      contactRow({ crm_id: 'c-8', state: 'ready', integration_id: 'lakeside' }),
    ]);
    expect(await contacts.countWork(INTEGRATION)).toEqual({
      due: 1,
      submitted: 2,
      ready: 1,
      held: 1,
    });
    expect(await contacts.countUnderWay(INTEGRATION)).toBe(3);
  });
});

describeEachDatabase('stampWaiting', (open) => {
  const createWorld = storeWorlds(open);
  const REASONS = {
    due: 'budget_reached',
    submitted: 'job_running',
    unsettled: 'settlement_pending',
    ready: 'delivery_pending',
    only: null,
  } as const;

  async function reasonsById({ db }: StoreWorld): Promise<Record<string, string>> {
    const rows = await db.selectFrom('contacts').select(['crm_id', 'outcome_reason']).execute();
    return Object.fromEntries(rows.map((row) => [row.crm_id, row.outcome_reason]));
  }

  it('says of each contact with work left why it waits, as of this run', async () => {
    const world = await createWorld();
    const earlier = { outcome_run: 'run-0', outcome_reason: 'not_processed', outcome_detail: 'x' };
    await putContacts(world, [
      contactRow({ crm_id: 'due', state: 'due', ...earlier }),
      contactRow({ crm_id: 'submitted', state: 'submitted', ...earlier }),
      contactRow({ crm_id: 'ready', state: 'ready', ...earlier }),
      contactRow({ crm_id: 'held', state: 'held', ...earlier }),
      contactRow({ crm_id: 'settled', ...earlier }),
      contactRow({ crm_id: 'elsewhere', state: 'due', integration_id: 'lakeside', ...earlier }),
    ]);
    await world.store.contacts.stampWaiting(world.lease, RUN, REASONS);
    expect(await reasonsById(world)).toEqual({
      due: 'budget_reached',
      submitted: 'job_running',
      ready: 'delivery_pending',
      held: 'not_processed',
      settled: 'not_processed',
      elsewhere: 'not_processed',
    });
    expect(await contactOf(world, 'due')).toMatchObject({
      outcome_run: RUN,
      outcome_at: START_MS,
      outcome_detail: null,
    });
    expect(await contactOf(world, 'settled')).toMatchObject({ outcome_run: 'run-0' });
  });

  it('keeps a reason of this run that says more than where the contact is', async () => {
    const world = await createWorld();
    const now = { outcome_run: RUN };
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'due', ...now, outcome_reason: 'not_processed' }),
      contactRow({ crm_id: 'c-2', state: 'ready', ...now, outcome_reason: 'crm_busy' }),
      contactRow({ crm_id: 'c-3', state: 'due', ...now, outcome_reason: 'submission_pending' }),
      contactRow({
        crm_id: 'c-4',
        state: 'submitted',
        ...now,
        outcome_reason: 'submission_pending',
      }),
    ]);
    await world.store.contacts.stampWaiting(world.lease, RUN, REASONS);
    expect(await reasonsById(world)).toEqual({
      'c-1': 'not_processed',
      'c-2': 'crm_busy',
      'c-3': 'budget_reached',
      'c-4': 'job_running',
    });
  });

  it('keeps that a CRM record refused its write, also from an earlier run', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'ready', outcome_reason: 'crm_refused' }),
    ]);
    await world.store.contacts.stampWaiting(world.lease, RUN, REASONS);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      outcome_reason: 'crm_refused',
      outcome_run: RUN,
    });
  });

  it('speaks of one contact alone if the run was for it', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'due' }),
      contactRow({ crm_id: 'c-2', state: 'due' }),
    ]);
    await world.store.contacts.stampWaiting(world.lease, RUN, { ...REASONS, only: ['c-2'] });
    expect(await reasonsById(world)).toEqual({ 'c-1': 'profile_fresh', 'c-2': 'budget_reached' });
  });
});

describeEachDatabase('find', (open) => {
  const createWorld = storeWorlds(open);

  it('finds contacts of one integration by id, however many are asked for', async () => {
    const world = await createWorld();
    const ids = crmIds(131);
    await putContacts(
      world,
      ids.map((crm_id) => contactRow({ crm_id })),
    );
    const found = await world.store.contacts.find(INTEGRATION, [...ids, 'c-unknown']);
    expect([...found.keys()].sort()).toEqual(ids);
    expect(found.get('c-130')).toEqual(fromRow(contactRow({ crm_id: 'c-130' })));
    expect(await world.store.contacts.find('lakeside', ids)).toEqual(new Map());
    expect(await world.store.contacts.find(INTEGRATION, [])).toEqual(new Map());
  });
});

/** The rest of a page without removed contacts and without a watermark. */
const NO_MORE = { removed: [], cursor: null };
