import { expect, it } from 'vitest';
import { findAnswered } from '../../src/contacts/answered.ts';
import type { ContactRecord } from '../../src/contacts/contacts.ts';
import {
  countContactsUnderWay,
  countContactWork,
  findContacts,
  listDueContacts,
  stampWaiting,
  type WaitingReasons,
} from '../../src/contacts/contacts.ts';
import { fromRow } from '../../src/database/from-row.ts';
import {
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
} from '../database/store-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { contactOf, contactRow, crmIds, holdForName, putContacts } from './contact-stages.ts';

describeEachDatabase('find', (open) => {
  const createWorld = storeWorlds(open);

  it('finds contacts of one integration by id, however many are asked for', async () => {
    const world = await createWorld();
    const ids = crmIds(131);
    await putContacts(
      world,
      ids.map((crm_id) => contactRow({ crm_id })),
    );
    const found = await findContacts(world.store.reader, INTEGRATION, [...ids, 'c-unknown']);
    expect([...found.keys()].sort()).toEqual(ids);
    expect(found.get('c-130')).toEqual(fromRow(contactRow({ crm_id: 'c-130' })));
    expect(await findContacts(world.store.reader, 'lakeside', ids)).toEqual(new Map());
    expect(await findContacts(world.store.reader, INTEGRATION, [])).toEqual(new Map());
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
      contactRow({ crm_id: 'a', ...due, priority: 1, asked_at: null, last_credit: null }),
      contactRow({ crm_id: 'b', ...due, priority: 1, asked_at: null, last_credit: null }),
      contactRow({ crm_id: 'z', ...due, priority: 0, asked_at: 400 }),
      contactRow({ crm_id: 'settled', priority: 0 }),
      contactRow({ crm_id: 'elsewhere', ...due, priority: 0, integration_id: 'lakeside' }),
    ]);
    const { reader } = world.store;
    const order = ['z', 'a', 'b', 'e', 'f', 'd'];
    expect(await idsOf(listDueContacts(reader, INTEGRATION, ALL))).toEqual(order);
    expect(await idsOf(listDueContacts(reader, INTEGRATION, { ...ALL, limit: 2 }))).toEqual([
      'z',
      'a',
    ]);
    expect(await idsOf(listDueContacts(reader, INTEGRATION, { ...ALL, maxPriority: 1 }))).toEqual([
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
    const { reader } = world.store;
    expect(await idsOf(listDueContacts(reader, INTEGRATION, { ...ALL, only: ['c-2'] }))).toEqual([
      'c-2',
    ]);
    expect(await idsOf(listDueContacts(reader, INTEGRATION, { ...ALL, only: ['c-3'] }))).toEqual(
      [],
    );
  });
});

describeEachDatabase('findAnswered', (open) => {
  const createWorld = storeWorlds(open);

  it.each(['held', 'completed'] as const)(
    'names the request whose profile waits (%s), and none before it',
    async (state) => {
      const world = await createWorld();
      const { reader } = world.store;
      await holdForName(world, ['c-1']);
      await world.db.updateTable('jobs').set({ state: 'delivered', submitted_at: 1 }).execute();
      const older = await world.db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
      const answered = { identity: older.identity, isLast: true, isLost: false, submittedAt: 1 };
      expect(await findAnswered(reader, INTEGRATION, ['c-1'])).toEqual(
        new Map([['c-1', answered]]),
      );
      const later = { ...older, tracking_id: 'later', identity: 'later', state, submitted_at: 2 };
      await world.db.insertInto('jobs').values(later).execute();
      const waiting = { identity: 'later', isLast: true, isLost: false, submittedAt: 2 };
      expect(await findAnswered(reader, INTEGRATION, ['c-1'])).toEqual(new Map([['c-1', waiting]]));
    },
  );
});

describeEachDatabase('counts of work', (open) => {
  const createWorld = storeWorlds(open);

  it('counts the contacts of one integration in each state that means work', async () => {
    const world = await createWorld();
    const { reader } = world.store;
    expect(await countContactWork(reader, INTEGRATION)).toEqual({
      due: 0,
      submitted: 0,
      ready: 0,
      held: 0,
    });
    expect(await countContactsUnderWay(reader, INTEGRATION)).toBe(0);
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
    expect(await countContactWork(reader, INTEGRATION)).toEqual({
      due: 1,
      submitted: 2,
      ready: 1,
      held: 1,
    });
    expect(await countContactsUnderWay(reader, INTEGRATION)).toBe(3);
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
    await stamp(world, REASONS);
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
    await stamp(world, REASONS);
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
    await stamp(world, REASONS);
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
    await stamp(world, { ...REASONS, only: ['c-2'] });
    expect(await reasonsById(world)).toEqual({ 'c-1': 'profile_fresh', 'c-2': 'budget_reached' });
  });
});

/** Does what a run does at its end. */
function stamp({ store, lease }: StoreWorld, reasons: WaitingReasons): Promise<void> {
  const moment = { id: RUN, now: store.reader.clock.now() };
  return store.checkpoint(lease, (trx) => stampWaiting(trx, moment, reasons));
}
