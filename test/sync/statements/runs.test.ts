import { CompiledQuery } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import {
  buildRunListQuery,
  findRunById,
  listRunRecords,
  RUN_ORDERS,
  type RunFilter,
  type RunRecord,
  recordRunBegin,
  recordRunEnd,
  toRunPosition,
} from '../../../src/sync/statements/runs.ts';
import { contactRow, putContacts, runRow } from '../../contacts/contact-stages.ts';
import {
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import {
  describeEachDatabase,
  describeOn,
  openSqliteMigrated,
} from '../../helpers/test-databases.ts';

describeEachDatabase('runs', (open) => {
  const createWorld = storeWorlds(open);

  it('notes a run that begins, with its trigger and its epoch', async () => {
    const { store, lease } = await createWorld();
    expect(await findRunById(store.reader, RUN)).toEqual({
      id: RUN,
      integrationId: INTEGRATION,
      epoch: lease.epoch,
      trigger: 'manual',
      contact: '',
      full: 0,
      trial: 0,
      status: 'running',
      reasonCode: null,
      reasonMessage: null,
      startedAt: START_MS,
      finishedAt: null,
      readCount: 0,
      chosenCount: 0,
      submittedCount: 0,
      enhancedCount: 0,
      sharedCount: 0,
      spentEnhancements: 0,
      freshCount: null,
      report: null,
      facts: null,
      stopAskedAt: null,
      reasons: null,
      undoneAt: null,
      undoneValues: 0,
      undoneContacts: 0,
      undoneKept: 0,
    });
  });

  it('notes what the run looks at, until that contact is erased', async () => {
    const { store, lease } = await createWorld();
    await store.checkpoint(lease, (trx) =>
      recordRunBegin(trx, 'run-2', 'manual', ['003A'], { full: true }),
    );
    expect(await findRunById(store.reader, 'run-2')).toMatchObject({ contact: '003A', full: 1 });
    await eraseContact(store, INTEGRATION, '003A');
    expect(await findRunById(store.reader, 'run-2')).toMatchObject({ contact: null, full: 1 });
  });

  it('counts what an earlier run has chosen and left undone', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'due' }),
      contactRow({ crm_id: 'c-2', state: 'due' }),
      contactRow({ crm_id: 'c-3', state: 'settled' }),
      contactRow({ crm_id: 'c-4', state: 'due', integration_id: 'lakeside' }),
    ]);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-2', 'schedule', null),
    );
    expect(await findRunById(world.store.reader, 'run-2')).toMatchObject({ chosenCount: 2 });
  });

  it('marks a run that was cut off as interrupted when the next one begins', async () => {
    const { store, clock, lease } = await createWorld();
    const elsewhere = await takeLease(store, 'lakeside');
    await store.checkpoint(elsewhere, (trx) =>
      recordRunBegin(trx, 'run-elsewhere', 'manual', null),
    );
    await clock.advance(5_000);
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'schedule', null));
    expect(await findRunById(store.reader, RUN)).toMatchObject({
      status: 'incomplete',
      reasonCode: 'interrupted',
      finishedAt: START_MS + 5_000,
    });
    expect(await findRunById(store.reader, 'run-2')).toMatchObject({ status: 'running' });
    expect(await findRunById(store.reader, 'run-elsewhere')).toMatchObject({ status: 'running' });
  });

  it('leaves a run that has ended as it is', async () => {
    const { store, clock, lease } = await createWorld();
    await store.checkpoint(lease, (trx) =>
      recordRunEnd(trx, RUN, {
        status: 'failed',
        reason: { code: 'crm_unauthorized', message: 'The CRM refused the token.' },
        finishedAt: START_MS + 1_000,
        report: '{"id":"run-1"}',
      }),
    );
    await clock.advance(5_000);
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'schedule', null));
    expect(await findRunById(store.reader, RUN)).toMatchObject({
      status: 'failed',
      reasonCode: 'crm_unauthorized',
      reasonMessage: 'The CRM refused the token.',
      finishedAt: START_MS + 1_000,
      report: '{"id":"run-1"}',
    });
  });

  it('ends one run alone, without a reason if there is none', async () => {
    const world = await createWorld();
    const { store, lease } = world;
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'schedule', null));
    const end = { reason: null, finishedAt: START_MS + 1_000, report: '{}' };
    await store.checkpoint(lease, (trx) =>
      recordRunEnd(trx, 'run-2', { status: 'succeeded', ...end }),
    );
    expect(await findRunById(store.reader, 'run-2')).toMatchObject({
      status: 'succeeded',
      reasonCode: null,
      reasonMessage: null,
    });
    expect(await runRow(world)).toMatchObject({ status: 'incomplete', report: null });
  });

  it('knows nothing of a run that never began', async () => {
    const { store } = await createWorld();
    expect(await findRunById(store.reader, 'run-9')).toBeUndefined();
  });

  it('lists runs, the newest first and those of one instant by id', async () => {
    const { store, clock, lease } = await createWorld();
    const elsewhere = await takeLease(store, 'lakeside');
    await clock.advance(1_000);
    await store.checkpoint(elsewhere, (trx) => recordRunBegin(trx, 'run-4', 'manual', null));
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-3', 'manual', null));
    await clock.advance(1_000);
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'manual', null));

    const ids = async (filter: RunFilter) =>
      (await listRunRecords(store.reader, filter)).map(({ id }) => id);
    expect(await ids({ limit: 10 })).toEqual(['run-2', 'run-3', 'run-4', RUN]);
    expect(await ids({ limit: 2 })).toEqual(['run-2', 'run-3']);
    const after = { value: START_MS + 1_000, id: 'run-3' };
    expect(await ids({ after, limit: 10 })).toEqual(['run-4', RUN]);
    expect(await ids({ integrationId: INTEGRATION, limit: 10 })).toEqual(['run-2', 'run-3', RUN]);
    expect(await ids({ status: 'running', limit: 10 })).toEqual(['run-2', 'run-4']);
    expect(await ids({ integrationId: INTEGRATION, status: 'incomplete', limit: 1 })).toEqual([
      'run-3',
    ]);
  });

  it.each(RUN_ORDERS)('lists each run once in pages, in the order %s', async (order) => {
    const world = await createWorld();
    const { db } = world;
    await addRuns(world, 30);
    const all = await listRunRecords(db, { order, limit: 100 });
    const values = all.map((run) => toRunPosition(run, order).value);
    const isDescending = ['newest', 'longest', 'most-credits'].includes(order);
    expect(values).toEqual(
      values.toSorted((one, other) => (isDescending ? other - one : one - other)),
    );
    // Some values occur more than once, so the order needs a second key.
    expect(new Set(values).size).toBeLessThan(values.length);
    const paged: RunRecord[] = [];
    for (;;) {
      const last = paged.at(-1);
      const after = last && toRunPosition(last, order);
      const page = await listRunRecords(db, { order, after, limit: 4 });
      paged.push(...page);
      if (page.length < 4) break;
    }
    expect(paged.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(paged).toHaveLength(31);
  });
});

describeOn('sqlite', 'a page of many runs', () => {
  it.each(RUN_ORDERS)('is read in the order %s without sorting all runs', async (order) => {
    const { db, close } = await openSqliteMigrated();
    onTestFinished(close);
    const query = buildRunListQuery(db, {
      ...{ order, after: { value: 1, id: 'run-1' }, limit: 50 },
    }).compile();
    const plan = await db.executeQuery(
      CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]),
    );
    const steps = JSON.stringify(plan.rows);
    expect(steps).toContain('USING INDEX runs_by_');
    expect(steps).not.toContain('TEMP B-TREE');
  });
});

/** Adds runs. Several runs start in one second, take equally long, or spend equally many credits. */
async function addRuns({ db }: StoreWorld, count: number): Promise<void> {
  const runs = Array.from({ length: count }, (_, index) => ({
    ...{ id: `more-${index}`, integration_id: INTEGRATION, epoch: 1, trigger: 'manual' as const },
    ...{ contact: '', full: 0 as const, trial: 0 as const, status: 'succeeded' as const },
    started_at: START_MS + (index % 7) * 1_000,
    finished_at: index % 10 === 0 ? null : START_MS + (index % 7) * 1_000 + (index % 5) * 100,
    ...{ read_count: 0, chosen_count: 0, submitted_count: 0, enhanced_count: 0, shared_count: 0 },
    spent_enhancements: index % 4,
    ...{ undone_values: 0, undone_contacts: 0, undone_kept: 0 },
  }));
  await db.insertInto('runs').values(runs).execute();
}
