import { expect, it } from 'vitest';
import {
  findRunById,
  listRunRecords,
  type RunFilter,
  recordRunBegin,
  recordRunEnd,
} from '../../../src/sync/statements/runs.ts';
import { contactRow, putContacts, runRow } from '../../contacts/contact-stages.ts';
import { INTEGRATION, RUN, START_MS, storeWorlds, takeLease } from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

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
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'manual', ['003A'], true));
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
    const third = await findRunById(store.reader, 'run-3');
    expect(await ids({ after: third, limit: 10 })).toEqual(['run-4', RUN]);
    expect(await ids({ integrationId: INTEGRATION, limit: 10 })).toEqual(['run-2', 'run-3', RUN]);
    expect(await ids({ status: 'running', limit: 10 })).toEqual(['run-2', 'run-4']);
    expect(await ids({ integrationId: INTEGRATION, status: 'incomplete', limit: 1 })).toEqual([
      'run-3',
    ]);
  });
});
