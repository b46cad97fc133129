import { expect, it } from 'vitest';
import { holdRestored } from '../../src/backup/restores.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createSyncWorld } from '../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);

it('holds clients, and nothing that only has the name of a lease', async () => {
  const { store } = await open();
  await store.leases.acquire('riverside', 'host/1/x', () => false);
  await store.leases.acquire('*alerts', 'host/1/x', () => false);
  const facts = { madeAt: 1, unknownAfter: null, isJournaled: true };
  expect(await store.act((trx) => holdRestored(trx, ['harbor'], facts))).toEqual([
    'harbor',
    'riverside',
  ]);
});
