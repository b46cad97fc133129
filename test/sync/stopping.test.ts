import { describe, expect, it } from 'vitest';
import { countContactWork } from '../../src/contacts/contacts.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { RetriableError } from '../../src/core/errors.ts';
import type { Checkpoint } from '../../src/database/leases.ts';
import { LEASE_MS } from '../../src/database/transact.ts';
import { findRunById, recordRunBegin } from '../../src/sync/statements/runs.ts';
import { open } from './worlds.ts';

describe('stopping and going on', () => {
  it.each([['partner_key_rejected', { apiKey: 'unknown-to-the-service' }]])(
    'stops with %s and says why',
    async (code, partner) => {
      const world = await open();
      await world.addPeople(5);
      const report = await world.sync({
        integration: {
          ...world.integration,
          partner: { ...world.integration.partner, ...partner },
        },
      });
      expect(report).toMatchObject({ status: 'incomplete', reason: { code } });
      expect(report.contacts.submitted).toBe(0);
    },
  );

  it('stops with partner_key_expired when the key is past its date', async () => {
    const world = await open();
    await world.addPeople(5);
    const apiKey = await world.issueKey({ deactivatesOn: '2020-01-01' });
    const report = await world.sync({
      integration: { ...world.integration, partner: { ...world.integration.partner, apiKey } },
    });
    expect(report.reason?.code).toBe('partner_key_expired');
    expect(report.reason?.message).toContain('2020-01-01');
  });

  it('ends at a checkpoint when it is asked to stop, and the next run pays for no contact twice', async () => {
    const world = await open({ service: { jobTimeMs: 300 } });
    await world.addPeople(300);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 150);
    const first = await world.sync({ signal: stop.signal });
    expect(first).toMatchObject({ status: 'incomplete', reason: { code: 'interrupted' } });
    const second = await world.sync();
    expect(second.status).toBe('succeeded');
    const third = await world.sync({ full: true });
    expect(third.contacts).toMatchObject({ chosen: 0, waiting: 0 });
    const paid = await world.database.db
      .selectFrom('jobs')
      .select('crm_id')
      .where('shared_from', 'is', null)
      .execute();
    expect(new Set(paid.map(({ crm_id }) => crm_id)).size).toBe(await world.spent());
  });

  it('is interrupted, and did not fail, when it is asked to stop while the service does not answer', async () => {
    const world = await open();
    await world.addPeople(3);
    const fault = { kind: 'slow', delayMs: 600_000 };
    await world.putFaults([{ on: { path: '*results*' }, times: 1, fault }]);
    const stop = new AbortController();
    const running = world.sync({ signal: stop.signal });
    const ready = () => countContactWork(world.store.reader, 'riverside');
    await expect.poll(ready).toMatchObject({ ready: 3 });
    stop.abort();
    expect(await running).toMatchObject({ status: 'incomplete', reason: { code: 'interrupted' } });
  });

  it('writes nothing any more once it has ended, also if one of its writers failed', async () => {
    const world = await open();
    await world.addPeople(300);
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    let calls = 0;
    world.crm.before(async (operation) => {
      if (operation !== 'write') return;
      calls += 1;
      if (calls === 1) {
        // During the pause, the other writer starts to wait for its turn.
        await pause(300);
        throw new RetriableError('The CRM is away.', { code: 'crm_unavailable' });
      }
      await pause(50);
    });
    const report = await world.sync();
    expect(report.reason?.code).toBe('crm_unavailable');
    const writes = world.crm.writes.length;
    await pause(500);
    expect(world.crm.writes.length).toBe(writes);
    world.crm.before(null);
    expect((await world.sync()).contacts.waiting).toBe(0);
  });

  it('lets one run at a time work on an integration', async () => {
    const world = await open({ service: { jobTimeMs: 300 } });
    await world.addPeople(20);
    const first = world.sync();
    await expect(world.sync()).rejects.toThrow(/currently being synced/);
    expect((await first).status).toBe('succeeded');
  });

  it('does not send a throttled submission again once another run has taken over', async () => {
    const overtaken = Promise.withResolvers<void>();
    const clock: Clock = {
      ...systemClock,
      async sleep(ms, signal) {
        // The test holds only the wait after the throttled response. On a busy machine, an earlier wait can occur.
        if (ms >= 1_000 && (await statuses()).includes(429)) await overtaken.promise;
        return systemClock.sleep(ms, signal);
      },
    };
    const world = await open({ clock });
    const statuses = async () =>
      (await world.requests())
        .filter(({ path }) => path.endsWith('/enhancements'))
        .map(({ status }) => status);
    await world.addPeople(3);
    const fault = { kind: 'throttle', retryAfterSeconds: 3 };
    await world.putFaults([{ on: { path: '/enhancements' }, times: 1, fault }]);
    const stopped = world.sync();
    await expect.poll(statuses).toEqual([429]);
    await world.store.leases.acquire('riverside', 'another', () => true);
    overtaken.resolve();
    expect(await stopped).toMatchObject({ status: 'incomplete', reason: { code: 'lease_lost' } });
    expect(await statuses()).toEqual([429]);
    expect(await world.spent()).toBe(0);
  });

  it('writes no checkpoint any more once another run has taken over', async () => {
    const world = await open({ service: { jobTimeMs: 60_000 } });
    await world.addPeople(20);
    const overtaken = world.sync();
    await expect.poll(() => world.spent()).toBe(20);
    await world.database.db.updateTable('integrations').set({ lease_until: 0 }).execute();
    const taken = await world.store.leases.acquire('riverside', 'another', () => true);
    expect(taken.acquired).toBe(true);
    const { id, status, reason } = await overtaken;
    expect({ status, reason }).toMatchObject({
      status: 'incomplete',
      reason: { code: 'lease_lost', message: expect.stringContaining('taken over') },
    });
    expect(world.crm.writes).toHaveLength(0);
    // The process that took over the run records its result.
    expect(await findRunById(world.store.reader, id)).toMatchObject({
      status: 'running',
      report: null,
    });
  });

  it('writes nothing if it stood still, with its writes on disk, until another run had taken over', async () => {
    let shiftMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => performance.now() + shiftMs };
    const world = await open({ clock });
    await world.addPeople(3);
    const { checkpoint } = world.store;
    const { db } = world.database;
    const standStill: Checkpoint = async (lease, work) => {
      const done = await checkpoint(lease, work);
      const intended = await db.selectFrom('writes').selectAll().execute();
      if (intended.length === 0 || shiftMs > 0) return done;
      shiftMs += LEASE_MS;
      await db.updateTable('integrations').set({ lease_until: 0 }).execute();
      await world.store.leases.acquire('riverside', 'another', () => true);
      return done;
    };
    Object.assign(world.store, { checkpoint: standStill });
    expect(await world.sync()).toMatchObject({ reason: { code: 'lease_lost' } });
    expect(shiftMs).toBe(LEASE_MS);
    expect(world.crm.writes).toHaveLength(0);
  });

  it('reports a lease that is lost at its very end, and leaves the record to the other', async () => {
    const world = await open();
    await world.addPeople(3);
    world.crm.before(async (operation) => {
      if (operation !== 'finish') return;
      const taken = await world.store.leases.acquire('riverside', 'another', () => true);
      if (taken.acquired)
        await world.store.checkpoint(taken.lease, (trx) =>
          recordRunBegin(trx, 'theirs', 'manual', null),
        );
    });
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'lease_lost' } });
    expect(report.contacts.submitted).toBe(3);
    expect(await findRunById(world.store.reader, report.id)).toMatchObject({
      status: 'incomplete',
      reasonCode: 'interrupted',
    });
    expect(await findRunById(world.store.reader, 'theirs')).toMatchObject({ status: 'running' });
  });
});
