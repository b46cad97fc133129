import { expect, it } from 'vitest';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createSyncWorld } from '../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);

it('a run whose budget is used up purges as well, or an integration that has none would keep all', async () => {
  const world = await open({ retention: { previousValues: 30 } });
  await world.addPeople(60);
  await world.sync({ limit: 10 });
  const { db } = world.database;
  await db.updateTable('writes').set({ written_at: 1 }).execute();
  const { status, reason } = await world.sync({ limit: 10 });
  expect([status, reason?.code]).toEqual(['incomplete', 'budget_reached']);
  const old = await db.selectFrom('writes').select('before').where('written_at', '=', 1).execute();
  // One or two of the ten may be somebody whom the service does not know.
  expect(old.length).toBeGreaterThan(5);
  expect(new Set(old.map(({ before }) => before))).toEqual(new Set(['']));
});

it('the end of a whole run purges what the settings no longer keep, and says so in the audit', async () => {
  const world = await open({ retention: { previousValues: 30, audit: 30 } });
  const [first = ''] = await world.addPeople(2);
  await world.sync();
  const { db } = world.database;
  await db.updateTable('writes').set({ written_at: 1 }).execute();
  const purged = async () =>
    (await world.store.audit.list({ action: 'data.purged', limit: 10 })).map(
      (each) => each.details,
    );
  await world.sync({ only: first });
  expect(await purged()).toEqual([]);
  const { status, contacts } = await world.sync();
  expect([status, contacts.written]).toEqual(['succeeded', 0]);
  expect(await purged()).toEqual([{ what: 'previousValues', rows: 2, days: 30 }]);
  const writes = await db.selectFrom('writes').select('before').execute();
  expect(writes.map(({ before }) => before)).toEqual(['', '']);
  expect((await world.store.audit.verify()).problems).toEqual([]);
});
