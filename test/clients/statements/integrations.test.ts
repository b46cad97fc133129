import { expect, it } from 'vitest';
import {
  deleteSettings,
  findIntegrationState,
  listChangedSettings,
  listSealedSettings,
  pinCrmAccount,
  resetCursor,
  saveSealedSettings,
} from '../../../src/clients/statements/integrations.ts';
import { listScheduleRecords, saveSchedules } from '../../../src/clients/statements/schedules.ts';
import { recordDecidedPage } from '../../../src/contacts/decided-pages.ts';
import { listRunRequests, requestRun } from '../../../src/sync/statements/run-requests.ts';
import { noting } from '../../contacts/contact-stages.ts';
import { INTEGRATION, RUN, storeWorlds, takeLease } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('integrations', (open) => {
  const createWorld = storeWorlds(open);

  it.each([
    ['that was never run', 'lakeside'],
    ['whose first run has begun', INTEGRATION],
  ])('remembers nothing of an integration %s', async (_case, id) => {
    const { store } = await createWorld();
    expect(await findIntegrationState(store.reader, id)).toEqual({
      crmAccount: null,
      cursor: null,
      cursorBefore: null,
      cursorScope: null,
      identitySources: null,
    });
  });

  it('pins the CRM account of one integration alone', async () => {
    const { store, lease } = await createWorld();
    await takeLease(store, 'lakeside');
    await store.checkpoint(lease, (trx) => pinCrmAccount(trx, 'account-1'));
    expect(await findIntegrationState(store.reader, INTEGRATION)).toMatchObject({
      crmAccount: 'account-1',
    });
    expect(await findIntegrationState(store.reader, 'lakeside')).toMatchObject({
      crmAccount: null,
    });
  });

  it('starts reading from the beginning when the scope of reading changes', async () => {
    const { store, lease } = await createWorld();
    await takeLease(store, 'lakeside');
    const page = { runId: RUN, contacts: [], removed: [], cursor: 'page-7' };
    await store.checkpoint(lease, (trx) =>
      recordDecidedPage(
        trx,
        page,
        noting(() => ({ kind: 'keep' })),
      ),
    );
    await store.checkpoint(lease, (trx) => pinCrmAccount(trx, 'account-1'));
    await store.checkpoint(lease, (trx) => resetCursor(trx, 'scope-2', 'run'));
    expect(await findIntegrationState(store.reader, INTEGRATION)).toEqual({
      crmAccount: 'account-1',
      cursor: null,
      cursorBefore: 'page-7',
      cursorScope: 'scope-2',
      identitySources: null,
    });
    expect(await findIntegrationState(store.reader, 'lakeside')).toMatchObject({
      cursorScope: null,
    });
  });

  it('keeps the position before the first of several readings that were cut off', async () => {
    const { store, lease } = await createWorld();
    const page = { runId: RUN, contacts: [], removed: [], cursor: 'page-7' };
    await store.checkpoint(lease, (trx) =>
      recordDecidedPage(
        trx,
        page,
        noting(() => ({ kind: 'keep' })),
      ),
    );
    await store.checkpoint(lease, (trx) => resetCursor(trx, 'scope-2', 'run'));
    await store.checkpoint(lease, (trx) => resetCursor(trx, 'scope-3', 'run'));
    expect(await findIntegrationState(store.reader, INTEGRATION)).toMatchObject({
      cursor: null,
      cursorBefore: 'page-7',
    });
  });

  it('lists the sealed settings of integrations that have any, by id', async () => {
    const { store } = await createWorld();
    await store.act((trx) => saveSealedSettings(trx, 'lakeside', 'sealed 1'));
    await store.act((trx) => saveSealedSettings(trx, 'hillside', 'sealed 2'));
    await store.act((trx) => saveSealedSettings(trx, 'lakeside', 'sealed 3'));
    expect(await listSealedSettings(store.reader)).toEqual([
      { id: 'hillside', settings: 'sealed 2' },
      { id: 'lakeside', settings: 'sealed 3' },
    ]);
  });

  it('keeps the lease and the cursor of an integration whose settings are saved', async () => {
    const { store, lease } = await createWorld();
    await store.checkpoint(lease, (trx) => resetCursor(trx, 'scope-1', 'run'));
    await store.act((trx) => saveSealedSettings(trx, INTEGRATION, 'sealed'));
    await store.leases.renew(lease);
    expect(await findIntegrationState(store.reader, INTEGRATION)).toMatchObject({
      cursorScope: 'scope-1',
    });
    expect(await listSealedSettings(store.reader)).toEqual([
      { id: INTEGRATION, settings: 'sealed' },
    ]);
  });

  it('lists what was applied and removed after a change, each once, and in that order', async () => {
    const { store } = await createWorld();
    const save = (id: string, settings: string) =>
      store.act((trx) => saveSealedSettings(trx, id, settings));
    const beginning = { version: -1, id: '' };
    await save('lakeside', 'sealed 1');
    await save('hillside', 'sealed 2');
    const [first, second, ...others] = await listChangedSettings(store.reader, beginning);
    expect([first?.id, second?.id, others]).toEqual(['lakeside', 'hillside', []]);
    if (second === undefined) throw new Error('two were applied');
    expect(await listChangedSettings(store.reader, second)).toEqual([]);
    expect(await store.act((trx) => deleteSettings(trx, 'lakeside'))).toBe(true);
    expect(await store.act((trx) => deleteSettings(trx, 'lakeside'))).toBe(false);
    await save('hillside', 'sealed 3');
    expect(await listChangedSettings(store.reader, second)).toMatchObject([
      { id: 'lakeside', settings: null },
      { id: 'hillside', settings: 'sealed 3' },
    ]);
  });

  it('lists all that twenty processes apply at once, however they commit', async () => {
    const { store } = await createWorld();
    const ids = Array.from({ length: 20 }, (_, index) => `at-once-${index}`);
    await Promise.all(ids.map((id) => store.act((trx) => saveSealedSettings(trx, id, 'sealed'))));
    const listed = await listChangedSettings(store.reader, { version: -1, id: '' });
    expect(new Set(listed.map(({ version }) => version)).size).toBe(ids.length);
    expect(listed.map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  it('removes with the settings the schedule and the runs that wait, and nothing of another', async () => {
    const { store } = await createWorld();
    for (const id of ['lakeside', 'hillside']) {
      await store.act((trx) => saveSealedSettings(trx, id, 'sealed'));
      await saveSchedules(store.connection, [{ integrationId: id, rule: 'rule', nextRunAt: 1 }]);
      await store.act((trx) =>
        requestRun(trx, {
          integrationId: id,
          contact: null,
          trigger: 'manual',
          full: false,
          runId: `run-${id}`,
        }),
      );
    }
    await store.act((trx) => deleteSettings(trx, 'lakeside'));
    expect(
      (await listScheduleRecords(store.reader)).map(({ integrationId }) => integrationId),
    ).toEqual(['hillside']);
    expect(await listRunRequests(store.reader, 'lakeside')).toEqual([]);
    expect(await listRunRequests(store.reader, 'hillside')).toHaveLength(1);
  });
});
