import { afterEach, expect, it } from 'vitest';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';
import { openPostgresFresh } from '../helpers/test-databases.ts';
import { sharedBy } from './shared-by.ts';

let world: SyncWorld;
afterEach(async () => {
  await world.close();
  await world.database.close();
});

it('keeps the same promises over Postgres', async () => {
  world = await createSyncWorld({ database: await openPostgresFresh() });
  await world.addPeople(260);
  const submits = { method: 'POST', path: '/enhancements' };
  await world.putFaults([
    { on: submits, nth: 1, fault: { kind: 'resetBefore' } },
    { on: submits, nth: 3, fault: { kind: 'processFewer', processed: 40 } },
  ]);
  const first = await world.sync();
  expect(first.status).toBe('succeeded');
  const { submitted } = first.contacts;
  expect(submitted + (await sharedBy(world, first))).toBe(first.contacts.chosen);
  expect(await world.spent()).toBe(submitted);
  const { written, unchanged, skipped, failed, held, waiting } = first.contacts;
  expect(written + unchanged + skipped + failed + held + waiting).toBe(260);
  const second = await world.sync({ full: true });
  expect(second.contacts).toMatchObject({ chosen: 0, written: 0, waiting: 0 });
  expect(await world.spent()).toBe(submitted);
});
