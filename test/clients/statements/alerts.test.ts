import { expect, it } from 'vitest';
import { INTEGRATION, START_MS, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('alerts', (open) => {
  const createWorld = storeWorlds(open);

  it('begin once, and are sent once while they last', async () => {
    const { store, clock } = await createWorld();
    await store.alerts.raise(INTEGRATION, 'run_failed');
    await tellAll(store);
    await clock.advance(1);
    await store.alerts.raise(INTEGRATION, 'run_failed');
    expect(await store.alerts.list()).toMatchObject([
      { subject: 'run_failed', since: START_MS, sentAt: START_MS, overAt: null },
    ]);
  });

  it('are to be sent again when they are over, and when they come back', async () => {
    const { store, clock } = await createWorld();
    await store.alerts.raise(INTEGRATION, 'run_failed');
    await tellAll(store);
    await clock.advance(1);
    await store.alerts.end(INTEGRATION, 'run_failed');
    expect(await store.alerts.list()).toMatchObject([{ sentAt: null, overAt: START_MS + 1 }]);
    await tellAll(store);
    await clock.advance(1);
    await store.alerts.end(INTEGRATION, 'run_failed');
    expect(await store.alerts.list()).toMatchObject([{ overAt: START_MS + 1 }]);
    await store.alerts.raise(INTEGRATION, 'run_failed');
    expect(await store.alerts.list()).toMatchObject([
      { since: START_MS + 2, sentAt: null, overAt: null },
    ]);
  });

  it('need not have begun to be over', async () => {
    const { store } = await createWorld();
    await store.alerts.end(INTEGRATION, 'run_failed');
    expect(await store.alerts.list()).toEqual([]);
  });
});

async function tellAll({ alerts }: StoreWorld['store']): Promise<void> {
  for (const alert of await alerts.list()) await alerts.noteSent(alert);
}
