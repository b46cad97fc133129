import { describe, expect, it } from 'vitest';
import { profileDays } from '../../src/core/retention.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { listAuditEntries } from '../../src/privacy/audit/read-audit.ts';
import { verifyAudit } from '../../src/privacy/audit/verify-audit.ts';
import { purgeAllProfiles } from '../../src/sync/purge-old.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createSyncWorld } from '../helpers/sync-world.ts';
import { ageJobs, strangers } from './worlds.ts';

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
  // The service may not know one or two of the ten people.
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
    (await listAuditEntries(world.store, { action: 'data.purged', limit: 10 })).map(
      (each) => each.details,
    );
  await world.sync({ only: first });
  expect(await purged()).toEqual([]);
  const { status, contacts } = await world.sync();
  expect([status, contacts.written]).toEqual(['succeeded', 0]);
  expect(await purged()).toEqual([{ what: 'previousValues', rows: 2, days: 30 }]);
  const writes = await db.selectFrom('writes').select('before').execute();
  expect(writes.map(({ before }) => before)).toEqual(['', '']);
  expect((await verifyAudit(world.store)).problems).toEqual([]);
});

const NOBODY = { integrations: new Map(), unreadable: new Map() };

describe('profiles that were paid for', () => {
  it.each([
    [365, null, null, 425],
    [null, null, null, 730],
    [30, null, null, 90],
    // The settings can shorten the time but cannot lengthen it. The product uses the shorter time.
    [365, 1_000, null, 425],
    [365, 100, null, 100],
    [365, 100, 50, 50],
    [365, 50, 100, 50],
    [365, 0, null, 0],
    [365, 100, 0, 0],
  ])(
    'refreshed after %s days, of one client %s and of all %s, are kept for %i',
    (afterDays, own, all, days) => {
      const integration = {
        refresh: { afterDays, whenIdentityChanges: true },
        retention: { profiles: own },
      };
      expect(profileDays(integration, { profiles: all })).toBe(days);
    },
  );

  it('are kept from their purchase on, however late they are delivered', async () => {
    const world = await open(strangers);
    await world.addPeople(5);
    await world.sync();
    await ageJobs(world, 60 * 24 * 6);
    for (const hold of await listOpenQuestions(world.store.reader)) {
      await recordDecision(world.store, hold, 'approved');
    }
    await world.sync();
    const { db } = world.database;
    const jobs = await db.selectFrom('jobs').select(['tracking_id', 'submitted_at']).execute();
    const paidAt = new Map(jobs.map((job) => [job.tracking_id, job.submitted_at]));
    const kept = await db.selectFrom('kept_profiles').selectAll().execute();
    expect(kept.filter(({ is_delivered }) => is_delivered === 1).length).toBeGreaterThan(0);
    for (const row of kept) expect(row.kept_at).toBe(paidAt.get(row.tracking_id));
  });

  it('are kept for as long as their client says, and deleted at once where none are kept any more', async () => {
    const world = await open({ integration: { retention: { profiles: 100 } } });
    await world.addPeople(10);
    await world.sync();
    const { db } = world.database;
    const kept = () => db.selectFrom('kept_profiles').select(['crm_id', 'profile']).execute();
    const all = await kept();
    const [first] = all;
    await db
      .updateTable('kept_profiles')
      .set((eb) => ({ kept_at: eb('kept_at', '-', 101 * 86_400_000) }))
      .where('crm_id', '=', first?.crm_id ?? '')
      .execute();
    await world.sync();
    expect(await kept()).toHaveLength(all.length - 1);
    const none = { ...world.integration, retention: { profiles: 0 } };
    await world.sync({ integration: none });
    expect((await kept()).map(({ profile }) => profile)).toEqual(
      Array.from({ length: all.length - 1 }, () => ''),
    );
    const purged = await listAuditEntries(world.store, { action: 'data.purged', limit: 10 });
    expect(purged.map(({ details }) => details)).toEqual([
      { what: 'profiles', rows: all.length - 1 },
      { what: 'profiles', rows: 1 },
    ]);
  });

  it('of a client that the settings no longer have are deleted like those of any other', async () => {
    const world = await open();
    await world.addPeople(3);
    await world.sync();
    const { db } = world.database;
    const age = (days: number) =>
      db
        .updateTable('kept_profiles')
        .set({ kept_at: Date.now() - days * 86_400_000 })
        .execute();
    const count = async () => (await db.selectFrom('kept_profiles').selectAll().execute()).length;
    await age(424);
    await purgeAllProfiles(world.deps(), NOBODY, async () => true);
    expect(await count()).toBeGreaterThan(0);
    await age(426);
    await purgeAllProfiles(world.deps(), NOBODY, async () => false);
    expect(await count()).toBeGreaterThan(0);
    // The unreadable settings may require a longer retention.
    const unreadable = new Map([[world.integration.id, 'sealed with another key']]);
    await purgeAllProfiles(world.deps(), { ...NOBODY, unreadable }, async () => true);
    expect(await count()).toBeGreaterThan(0);
    await purgeAllProfiles(world.deps(), NOBODY, async () => true);
    expect(await count()).toBe(0);
  });
});
