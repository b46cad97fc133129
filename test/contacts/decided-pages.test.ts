import { expect, it } from 'vitest';
import { findIntegrationState } from '../../src/clients/statements/integrations.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { type Decision, recordDecidedPage } from '../../src/contacts/decided-pages.ts';
import { findRunById, recordRunBegin } from '../../src/sync/statements/runs.ts';
import {
  everything,
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../database/store-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import {
  choose,
  contactOf,
  contactRow,
  crmIds,
  holdForName,
  holdOf,
  KEEP,
  makeReady,
  NO_MORE,
  noting,
  putContacts,
  type ReadTestContact,
  readContact,
  readPage,
  runRow,
  SETTLE_FRESH,
  start,
  trackingIdOf,
} from './contact-stages.ts';

const SETTLE_OPTED_OUT: Decision = { kind: 'settle', reason: 'opted_out', eligible: false };

describeEachDatabase('recordPage', (open) => {
  const createWorld = storeWorlds(open);

  it('makes chosen contacts due and settles the others, each with its reason', async () => {
    const { store, lease, ...world } = await createWorld();
    const decisions: Record<string, Decision> = {
      'c-1': choose(),
      'c-2': SETTLE_OPTED_OUT,
      'c-3': SETTLE_FRESH,
    };
    await store.checkpoint(lease, (trx) =>
      recordDecidedPage(
        trx,
        { runId: RUN, contacts: ['c-1', 'c-2', 'c-3'].map((id) => readContact(id)), ...NO_MORE },
        noting(({ crmId }) => decisions[crmId] ?? KEEP),
      ),
    );
    const rows = await findContacts(store.reader, INTEGRATION, ['c-1', 'c-2', 'c-3']);
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
      lastCredit: null,
      trackingId: null,
      donorId: null,
      enhancedAt: null,
      ownedValues: '{}',
      valuesDonor: null,
      valuesIdentity: null,
      outcomeReason: 'submission_pending',
      outcomeRun: RUN,
      outcomeAt: START_MS,
      outcomeDetail: null,
      seenRun: RUN,
      departureRead: 0,
      mergedInto: null,
      hasOptedOut: 0,
      missingSince: null,
      currency: null,
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
    await world.store.checkpoint(world.lease, (trx) =>
      recordDecidedPage(
        trx,
        { runId: RUN, contacts: [readContact('c-1'), readContact('c-2')], ...NO_MORE },
        noting(({ crmId }, row) => {
          asked.set(crmId, row?.donorId);
          return KEEP;
        }),
      ),
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
    expect(await findRunById(world.store.reader, 'run-2')).toMatchObject({
      readCount: 2,
      chosenCount: 0,
    });
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
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'manual', null));
    await store.checkpoint(lease, (trx) =>
      recordDecidedPage(
        trx,
        { runId: 'run-2', contacts, ...NO_MORE },
        noting(() => KEEP),
      ),
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
    expect([...(await findContacts(world.store.reader, INTEGRATION, ids)).keys()].sort()).toEqual(
      ids,
    );
    expect(await runRow(world)).toMatchObject({ read_count: 237, chosen_count: 237 });
  });

  it('moves the watermark of its integration, and leaves it where a page has none', async () => {
    const { store, lease } = await createWorld();
    await takeLease(store, 'lakeside');
    const page = { runId: RUN, contacts: [], removed: [] };
    await store.checkpoint(lease, (trx) =>
      recordDecidedPage(
        trx,
        { ...page, cursor: 'page-7' },
        noting(() => KEEP),
      ),
    );
    await store.checkpoint(lease, (trx) =>
      recordDecidedPage(
        trx,
        { ...page, cursor: null },
        noting(() => KEEP),
      ),
    );
    expect((await findIntegrationState(store.reader, INTEGRATION)).cursor).toBe('page-7');
    expect((await findIntegrationState(store.reader, 'lakeside')).cursor).toBeNull();
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
    const recording = world.store.checkpoint(world.lease, (trx) =>
      recordDecidedPage(trx, page, decide),
    );
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
    await world.store.checkpoint(world.lease, (trx) =>
      recordDecidedPage(
        trx,
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
      ),
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
    expect((await findContacts(world.store.reader, 'lakeside', ['c-3'])).get('c-3')?.state).toBe(
      'due',
    );
    expect(await findContacts(world.store.reader, INTEGRATION, ['c-unknown'])).toEqual(new Map());
  });

  it('leaves contacts whose credit is being spent to the stations, even if they are gone', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await world.store.checkpoint(world.lease, (trx) =>
      recordDecidedPage(
        trx,
        { runId: RUN, contacts: [], removed: [{ id: 'c-1', mergedInto: null }], cursor: null },
        noting(() => KEEP),
      ),
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
    // If the contact opts in again, the person is submitted again.
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
