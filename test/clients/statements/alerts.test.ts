import { expect, it } from 'vitest';
import {
  endAlert,
  listAlerts,
  raiseAlert,
  recordAlertSent,
} from '../../../src/clients/statements/alerts.ts';
import { INTEGRATION, START_MS, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('alerts', (open) => {
  const createWorld = storeWorlds(open);

  it('begin once, and are sent once while they last', async () => {
    const { store, clock } = await createWorld();
    await raiseAlert(store.connection, INTEGRATION, 'run_failed');
    await tellAll(store);
    await clock.advance(1);
    await raiseAlert(store.connection, INTEGRATION, 'run_failed');
    expect(await listAlerts(store.reader)).toMatchObject([
      { subject: 'run_failed', since: START_MS, sentAt: START_MS, overAt: null },
    ]);
  });

  it('are to be sent again when they are over, and when they come back', async () => {
    const { store, clock } = await createWorld();
    await raiseAlert(store.connection, INTEGRATION, 'run_failed');
    await tellAll(store);
    await clock.advance(1);
    await endAlert(store.connection, INTEGRATION, 'run_failed');
    expect(await listAlerts(store.reader)).toMatchObject([{ sentAt: null, overAt: START_MS + 1 }]);
    await tellAll(store);
    await clock.advance(1);
    await endAlert(store.connection, INTEGRATION, 'run_failed');
    expect(await listAlerts(store.reader)).toMatchObject([{ overAt: START_MS + 1 }]);
    await raiseAlert(store.connection, INTEGRATION, 'run_failed');
    expect(await listAlerts(store.reader)).toMatchObject([
      { since: START_MS + 2, sentAt: null, overAt: null },
    ]);
  });

  it('need not have begun to be over', async () => {
    const { store } = await createWorld();
    await endAlert(store.connection, INTEGRATION, 'run_failed');
    expect(await listAlerts(store.reader)).toEqual([]);
  });
});

async function tellAll({ connection }: StoreWorld['store']): Promise<void> {
  for (const alert of await listAlerts(connection)) await recordAlertSent(connection, alert);
}
