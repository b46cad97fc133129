import { expect, it } from 'vitest';
import { countContactWork, listToReconsider, stampWaiting } from '../../src/contacts/contacts.ts';
import { markUnseen, removeMissing } from '../../src/contacts/many-at-once/missing.ts';
import { reconsiderContacts, settleDue } from '../../src/contacts/reconsidering.ts';
import { collect } from '../../src/core/collect.ts';
import { ROWS_PER_TRANSACTION } from '../../src/database/rows.ts';
import { everything, INTEGRATION, RUN, START_MS, storeWorlds } from '../database/store-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import {
  choose,
  contactOf,
  contactRow,
  crmIds,
  putContacts,
  readContact,
  readPage,
  runRow,
  SETTLE_FRESH,
  start,
} from './contact-stages.ts';

/** The number of contacts. It is slightly larger than the number that two transactions handle. */
const MANY = 2 * ROWS_PER_TRANSACTION + 3;

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
    const chosen = await reconsiderContacts(world.store, world.lease, RUN, 100, (row) => {
      asked.push(row.crmId);
      return row.crmId.endsWith('0')
        ? { kind: 'choose', reason: 'profile_old', priority: 2 }
        : SETTLE_FRESH;
    });
    expect(asked).toEqual([...ids].sort());
    const expected = ids.filter((id) => id.endsWith('0')).length;
    expect(chosen).toBe(expected);
    expect(await runRow(world)).toMatchObject({ chosen_count: expected, read_count: 0 });
    expect(await countContactWork(world.store.reader, INTEGRATION)).toMatchObject({
      due: expected,
    });
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
      contactRow({ crm_id: 'never asked', asked_at: null, last_credit: null }),
      contactRow({ crm_id: 'submitted', asked_at: 1, state: 'submitted' }),
      contactRow({ crm_id: 'held', asked_at: 1, state: 'held' }),
      contactRow({ crm_id: 'removed', asked_at: 1, state: 'removed' }),
      contactRow({ crm_id: 'opted out', asked_at: 1, eligible: 0 }),
      contactRow({ crm_id: 'elsewhere', asked_at: 1, integration_id: 'lakeside' }),
      contactRow({ crm_id: 'old', asked_at: 1 }),
    ]);
    const asked: string[] = [];
    await reconsiderContacts(world.store, world.lease, RUN, 100, (row) => {
      asked.push(row.crmId);
      return choose();
    });
    expect(asked).toEqual(['old']);
  });

  it('does not say that its run has seen a contact in the CRM', async () => {
    const world = await createWorld();
    await putContacts(world, [contactRow({ crm_id: 'c-1', asked_at: 1, seen_run: 'run-0' })]);
    await reconsiderContacts(world.store, world.lease, RUN, 100, () => choose());
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'due', seen_run: 'run-0' });
    await world.store.checkpoint(world.lease, (trx) => markUnseen(trx, RUN));
    await world.store.checkpoint(world.lease, (trx) => removeMissing(trx, { since: 0 }));
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'removed',
      seen_run: 'run-0',
      departure_read: 1,
    });
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
    const listed = await collect(listToReconsider(world.store.reader, INTEGRATION, 100));
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
    const listed = await collect(listToReconsider(world.store.reader, INTEGRATION, 100));
    expect(listed.map((row) => row.crmId)).toEqual(['due', 'old']);
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
    await world.store.checkpoint(world.lease, (trx) =>
      settleDue(trx, RUN, [
        { crmId: 'c-1', reason: 'opted_out', turnedOut: 'ineligible' },
        { crmId: 'c-2', reason: 'merged_in_crm', turnedOut: 'gone' },
      ]),
    );
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
    await world.store.checkpoint(world.lease, (trx) =>
      settleDue(trx, RUN, [{ crmId: 'c-1', reason: 'no_match_known', turnedOut: 'fresh' }]),
    );
    const settled = { state: 'settled', due_reason: null, outcome_reason: 'no_match_known' };
    expect(await contactOf(world, 'c-1')).toMatchObject({ ...settled, eligible: 1 });
  });

  it('says of who was written, changed and changed back within the run that it was written', async () => {
    const world = await createWorld();
    const written = { outcome_reason: 'fields_written_some_unfit', outcome_detail: 'Work phone' };
    await putContacts(world, [
      contactRow({ ...written, crm_id: 'back', last_credit: 'outdated', outcome_run: RUN }),
      contactRow({ ...written, crm_id: 'opted out', last_credit: 'outdated', outcome_run: RUN }),
      contactRow({ ...written, crm_id: 'waits', last_credit: 'outdated', outcome_run: RUN }),
      contactRow({ ...written, crm_id: 'before', last_credit: 'outdated', outcome_run: 'run-0' }),
    ]);
    await reconsiderContacts(world.store, world.lease, RUN, 0, () => choose());
    await world.store.checkpoint(world.lease, (trx) =>
      settleDue(trx, RUN, [
        { crmId: 'back', reason: 'profile_fresh', turnedOut: 'fresh' },
        { crmId: 'opted out', reason: 'opted_out', turnedOut: 'ineligible' },
        { crmId: 'before', reason: 'profile_fresh', turnedOut: 'fresh' },
      ]),
    );
    const reasons = {
      due: 'budget_reached',
      submitted: 'job_running',
      ready: 'delivery_pending',
      unsettled: 'settlement_pending',
      only: null,
    } as const;
    const moment = { id: RUN, now: world.store.reader.clock.now() };
    await world.store.checkpoint(world.lease, (trx) => stampWaiting(trx, moment, reasons));
    expect(await contactOf(world, 'back')).toMatchObject({ state: 'settled', ...written });
    expect(await contactOf(world, 'opted out')).toMatchObject({ eligible: 0, ...written });
    expect(await contactOf(world, 'waits')).toMatchObject({
      state: 'due',
      outcome_reason: 'budget_reached',
      outcome_detail: null,
    });
    expect(await contactOf(world, 'before')).toMatchObject({
      outcome_reason: 'profile_fresh',
      outcome_detail: null,
      outcome_run: RUN,
    });
  });

  it('leaves contacts that are not due, or not of the integration, as they are', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await putContacts(world, [
      contactRow({ crm_id: 'c-2', state: 'due', integration_id: 'lakeside' }),
    ]);
    const before = (await everything(world.db))['contacts'];
    await world.store.checkpoint(world.lease, (trx) =>
      settleDue(trx, RUN, [
        { crmId: 'c-1', reason: 'opted_out', turnedOut: 'ineligible' },
        { crmId: 'c-2', reason: 'opted_out', turnedOut: 'ineligible' },
      ]),
    );
    expect((await everything(world.db))['contacts']).toEqual(before);
  });
});
