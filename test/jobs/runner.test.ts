import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Application } from '../../src/application.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import type { RunReport } from '../../src/core/run.ts';
import { openDatabase } from '../../src/database/database.ts';
import type { Tables } from '../../src/database/tables/tables.ts';
import { planReread } from '../../src/jobs/statements/rereads.ts';
import { forgetPerson } from '../../src/privacy/forget/forget.ts';
import { hasTracesOfContact } from '../../src/privacy/statements/known-contacts.ts';
import { putBackRequest } from '../../src/sync/statements/cut-off-runs.ts';
import {
  findRequestByRun,
  listBegunRequests,
  listRunRequests,
  requestRun,
} from '../../src/sync/statements/run-requests.ts';
import { findRunById, recordRunBegin, requestStop } from '../../src/sync/statements/runs.ts';
import type { CliWorldOptions } from '../helpers/cli.ts';
import { holdJobs } from '../helpers/held-jobs.ts';
import { describeEachDatabase, freshPostgresUrl } from '../helpers/test-databases.ts';
import { openRunnerHouse, type RunnerHouse, type RunnerWorld, until } from './runner-world.ts';

let house: RunnerHouse;
let databaseUrl: string | undefined;
afterEach(() => house.close());

/** Opens a group of processes. The first process is called `here`. */
async function open(options: CliWorldOptions = {}, maxRunsAtOnce?: number): Promise<RunnerWorld> {
  house = await openRunnerHouse({ databaseUrl, ...options });
  return house.openRunner('here', maxRunsAtOnce);
}

const RIVERSIDE = { integrationId: 'riverside', trigger: 'manual' } as const;

/** Jobs that end only when a test allows it, so runs wait for them. */
let jobs = holdJobs();
afterEach(() => {
  jobs = holdJobs();
});

describeEachDatabase('runner', (_open, kind) => {
  beforeEach(async () => {
    databaseUrl = kind === 'postgres' ? await freshPostgresUrl() : undefined;
  });

  it('deletes profiles that are too old while no client is ever synced', async () => {
    const before = await open();
    before.runner.start();
    await before.runner.request(RIVERSIDE);
    await before.untilEnded(1);
    await before.runner.stop();
    const url = before.application.settings.database;
    const { db, close } = await openDatabase<Tables>(url);
    const count = async () =>
      (await db.selectFrom('kept_profiles').select('crm_id').execute()).length;
    expect(await count()).toBeGreaterThan(0);
    const paid = (days: number) =>
      db
        .updateTable('kept_profiles')
        .set({ kept_at: Date.now() - days * 86_400_000 })
        .execute();
    await paid(424);
    const young = await house.openRunner('young');
    young.runner.start();
    await young.runner.request({ ...RIVERSIDE, contact: 'no-such-contact' });
    await young.untilEnded(1);
    await young.runner.stop();
    expect(await count()).toBeGreaterThan(0);
    await paid(426);
    const { runner, ended } = await house.openRunner('there');
    runner.start();
    await until(async () => (await count()) === 0);
    expect(ended).toEqual([]);
    await close();
  });

  it('runs requests while the connector of a client that a webhook reported cannot be loaded', async () => {
    const { application, runner, untilEnded } = await open();
    await planReread(application.store.connection, 'riverside');
    application.rereadAfterMs = () => Promise.reject(new Error('its package is missing'));
    runner.start();
    await runner.request(RIVERSIDE);
    expect((await untilEnded(1)).report.status).toBe('succeeded');
  });

  describe('a run request', () => {
    it('becomes the run that was promised, and its end is reported', async () => {
      const { runner, application, untilEnded } = await open();
      runner.start();
      const { runId, joined } = await runner.request(RIVERSIDE);
      expect(joined).toBeNull();
      const { report, ...run } = await untilEnded(1);
      expect(run).toEqual({ runId, integrationId: 'riverside' });
      expect(report).toMatchObject({ id: runId, trigger: 'manual', status: 'succeeded' });
      expect(report.contacts.written).toBeGreaterThan(0);
      expect(await findRequestByRun(application.store.reader, runId)).toBeUndefined();
    });

    it('syncs the one contact that it names', async () => {
      const { runner, untilEnded } = await open();
      runner.start();
      const [row] = await house.world.rows();
      const contact = row?.['Id'] ?? '';
      await runner.request({ integrationId: 'riverside', trigger: 'webhook', contact });
      const { report } = await untilEnded(1);
      expect(report).toMatchObject({ trigger: 'webhook', contacts: { read: 1 } });
    });

    it('keeps nothing of a call that names an erased contact', async () => {
      const { runner, application, untilEnded } = await open();
      runner.start();
      await runner.request(RIVERSIDE);
      await untilEnded(1);
      const [erased = '', other = ''] = (await house.world.rows()).map((row) => row['Id'] ?? '');
      const [integration] = application.select(['riverside']);
      if (integration === undefined) throw new Error('the settings have no such integration');
      await forgetPerson(
        { application, clock: systemClock, log: silentLog, newId: () => crypto.randomUUID() },
        { integration, crmId: erased, alsoInCrm: false, everywhere: false, blockUnknown: false },
      );
      const call = (...ids: string[]) =>
        runner.call({
          integrationId: 'riverside',
          contacts: ids.map((id) => ({ id, account: null })),
          isComplete: true,
        });
      expect(await call(erased)).toBeNull();
      expect(await call(erased, other)).not.toBeNull();
      const { report } = await untilEnded(2);
      expect(report).toMatchObject({ trigger: 'webhook', contacts: { read: 1 } });
      expect(await hasTracesOfContact(application.store.reader, 'riverside', [erased])).toBe(false);
    });

    it('is refused for an integration that the settings do not have', async () => {
      const { runner } = await open();
      await expect(
        runner.request({ integrationId: 'lakeside', trigger: 'manual' }),
      ).rejects.toMatchObject({ code: 'integration_unknown' });
    });

    it('from before the start is taken up by it', async () => {
      const { runner, untilEnded } = await open();
      const { runId } = await runner.request(RIVERSIDE);
      expect(await runner.request(RIVERSIDE)).toEqual({ runId, joined: 'waiting' });
      runner.start();
      expect((await untilEnded(1)).runId).toBe(runId);
    });
  });

  describe('a run that a person stops', () => {
    it('from another process ends as incomplete, is not taken up again, and nothing is paid twice', async () => {
      const { runner, application, untilEnded } = await open({ service: jobs.service });
      const elsewhere = await house.openRunner('elsewhere');
      runner.start();
      const { runId } = await runner.request(RIVERSIDE);
      await untilRunning(application, runId);
      await until(async () => (await house.world.spent()) === 12);
      expect(await elsewhere.application.store.act((trx) => requestStop(trx, runId))).toBe(
        'stopping',
      );
      expect(await elsewhere.application.store.act((trx) => requestStop(trx, runId))).toBe(
        'stopping',
      );
      const { report } = await untilEnded(1);
      expect(report).toMatchObject({
        status: 'incomplete',
        reason: { code: 'stopped_by_person' },
      });
      expect(await findRequestByRun(application.store.reader, runId)).toBeUndefined();
      expect(await elsewhere.application.store.act((trx) => requestStop(trx, runId))).toBe('over');
      jobs.letEnd();
      await runner.request(RIVERSIDE);
      expect((await untilEnded(2)).report).toMatchObject({ status: 'succeeded' });
      await expect(house.world.spent()).resolves.toBe(12);
    });

    it('before it has begun does not begin', async () => {
      const { runner, application } = await open();
      const { runId } = await runner.request(RIVERSIDE);
      expect(await application.store.act((trx) => requestStop(trx, runId))).toBe('dropped');
      expect(await listRunRequests(application.store.reader)).toEqual([]);
      expect(await application.store.act((trx) => requestStop(trx, runId))).toBe('over');
    });

    it('and whose process dies then is not taken up again either', async () => {
      const { runner, application } = await open({ service: jobs.service });
      runner.start();
      const { runId } = await runner.request(RIVERSIDE);
      await untilRunning(application, runId);
      const { store } = application;
      const row = await findRequestByRun(store.reader, runId);
      await store.act((trx) => requestStop(trx, runId));
      if (row === undefined) throw new Error('there is no request');
      expect(await store.act((trx) => putBackRequest(trx, row, 'another-run'))).toEqual({
        state: 'ended',
      });
      expect(await findRunById(store.reader, runId)).toMatchObject({
        status: 'incomplete',
        reasonCode: 'stopped_by_person',
      });
      expect(await listRunRequests(store.reader)).toEqual([]);
      jobs.letEnd();
    });
  });

  describe('a run request during a run of its integration', () => {
    it('by a person joins the run, if that does all of it', async () => {
      const { runner, application, untilEnded } = await open({ service: jobs.service });
      runner.start();
      const { runId } = await runner.request(RIVERSIDE);
      await untilRunning(application, runId);
      expect(await runner.request(RIVERSIDE)).toEqual({ runId, joined: 'running' });
      const more = await runner.request({ ...RIVERSIDE, full: true });
      expect(more).toMatchObject({ joined: null });
      jobs.letEnd();
      expect((await untilEnded(2)).runId).toBe(more.runId);
    });

    it('is known in another process too', async () => {
      const { runner, application } = await open({ service: jobs.service });
      const elsewhere = await house.openRunner('elsewhere');
      runner.start();
      const { runId } = await runner.request(RIVERSIDE);
      await untilRunning(application, runId);
      expect(await elsewhere.runner.request(RIVERSIDE)).toEqual({ runId, joined: 'running' });
    });

    it('joins a run that `donor-sync sync` has begun as well', async () => {
      const { runner, application } = await open({ service: jobs.service });
      const sync = await house.world.start(['sync']);
      await until(async () => (await application.findRunning('riverside'))?.run != null);
      const run = (await application.findRunning('riverside'))?.run;
      expect(await runner.request(RIVERSIDE)).toEqual({ runId: run, joined: 'running' });
      const one = await runner.request({ ...RIVERSIDE, contact: '003A' });
      expect(one.joined).toBeNull();
      jobs.letEnd();
      expect((await sync.ended).exitCode).toBe(0);
    });

    it('by schedule or webhook is looked at when the run ends, once', async () => {
      const { runner, application, ended, untilEnded } = await open({ service: jobs.service });
      runner.start();
      const first = await runner.request(RIVERSIDE);
      await untilRunning(application, first.runId);
      const second = await runner.request({ ...RIVERSIDE, trigger: 'schedule' });
      const third = await runner.request({ ...RIVERSIDE, trigger: 'webhook' });
      expect(third).toEqual({ runId: second.runId, joined: 'waiting' });
      jobs.letEnd();
      expect((await untilEnded(2)).runId).toBe(second.runId);
      expect(overlaps(ended.map(({ report }) => report))).toBe(false);
      await expect(house.world.spent()).resolves.toBe(12);
    });
  });

  describe('several integrations', () => {
    const integrations = ['one', 'two', 'three'];

    it('run one after the other where no more are allowed at once', async () => {
      const { runner, application, ended, untilEnded } = await open({ integrations, people: 3 }, 1);
      await application.engine.open();
      for (const integrationId of integrations) {
        await runner.request({ integrationId, trigger: 'schedule' });
      }
      const waiting = await listRunRequests(application.store.reader);
      runner.start();
      await untilEnded(3);
      expect(ended.map(({ runId }) => runId)).toEqual(waiting.map(({ runId }) => runId));
      expect(overlaps(ended.map(({ report }) => report))).toBe(false);
    });

    it('do not wait for one that another process is at work on', async () => {
      const { runner, ended, untilEnded, application } = await open({ integrations, people: 3 });
      const { leases } = application.store;
      const attempt = await leases.acquire('one', 'elsewhere/1/a', () => false);
      for (const integrationId of integrations) {
        await runner.request({ integrationId, trigger: 'schedule' });
      }
      runner.start();
      await untilEnded(2);
      expect(ended.map(({ integrationId }) => integrationId).sort()).toEqual(['three', 'two']);
      if (attempt.acquired) await leases.release(attempt.lease);
      expect((await untilEnded(3)).integrationId).toBe('one');
    });
  });

  describe('what is cut off', () => {
    it('by a stop goes on at the next start, and nothing is paid twice', async () => {
      const { runner, application } = await open({ service: jobs.service });
      runner.start();
      const { runId } = await runner.request({ ...RIVERSIDE, trigger: 'schedule' });
      await until(async () => (await house.world.spent()) > 0);
      await runner.stop();
      expect(await findRunById(application.store.reader, runId)).toMatchObject({
        status: 'incomplete',
        reasonCode: 'interrupted',
      });
      jobs.letEnd();
      const next = await house.openRunner('here');
      next.runner.start();
      const { report } = await next.untilEnded(1);
      expect(report).toMatchObject({ trigger: 'schedule', status: 'succeeded' });
      expect(report.id).not.toBe(runId);
      expect(await house.world.spent()).toBe(12);
    });

    it('by a crash is taken over by a process that runs', async () => {
      const { runner, application, untilEnded } = await open();
      const { store } = application;
      const { runId } = await runner.request({ ...RIVERSIDE, trigger: 'webhook' });
      const attempt = await store.leases.acquire('riverside', 'elsewhere/1/a', () => false);
      if (!attempt.acquired) throw new Error('another process is at work');
      await store.checkpoint(attempt.lease, (trx) => recordRunBegin(trx, runId, 'webhook', null));
      runner.start();
      // Releases the lease, as if it had expired after the process exited.
      await store.leases.release(attempt.lease);
      const { report } = await untilEnded(1);
      expect(report).toMatchObject({ trigger: 'webhook', status: 'succeeded' });
      expect(await findRunById(store.reader, runId)).toMatchObject({ reasonCode: 'interrupted' });
      expect(await listBegunRequests(store.reader)).toEqual([]);
    });

    it('again and again is given up after five times, and is reported as failed', async () => {
      const { runner, application, untilEnded } = await open();
      const { leases } = application.store;
      let { runId } = await runner.request({ ...RIVERSIDE, trigger: 'schedule' });
      for (let time = 0; time <= 5; time += 1) {
        const attempt = await leases.acquire('riverside', 'elsewhere/1/a', () => true);
        if (!attempt.acquired) throw new Error('another process is at work');
        await application.store.checkpoint(attempt.lease, (trx) =>
          recordRunBegin(trx, runId, 'schedule', null),
        );
        await leases.release(attempt.lease);
        const [cutOff] = time < 5 ? await listBegunRequests(application.store.reader) : [];
        if (cutOff)
          await application.store.act((trx) => putBackRequest(trx, cutOff, `again-${time}`));
        if (cutOff) runId = `again-${time}`;
      }
      runner.start();
      const { report } = await untilEnded(1);
      expect(report).toMatchObject({
        id: 'again-4',
        status: 'failed',
        reason: { code: 'cut_off_too_often' },
      });
      expect(await listBegunRequests(application.store.reader)).toEqual([]);
      expect(await listRunRequests(application.store.reader)).toEqual([]);
    });
  });

  describe('a run that cannot begin', () => {
    it('is on record with its reason, is reported, and is not tried for ever', async () => {
      const { runner, application, untilEnded } = await open();
      await rm(house.world.path('riverside.csv'));
      runner.onRunEnded(() => {
        throw new Error('a listener of no use');
      });
      runner.start();
      const { runId } = await runner.request(RIVERSIDE);
      const { report } = await untilEnded(1);
      expect(report).toMatchObject({ id: runId, status: 'failed' });
      expect(report.reason?.message).toContain('riverside.csv');
      expect(await listRunRequests(application.store.reader)).toEqual([]);
      await runner.request(RIVERSIDE);
      await untilEnded(2);
    });

    it('is so too if its clients cannot even be made', async () => {
      const { runner, application, untilEnded } = await open();
      const riverside = application.integrations.get('riverside');
      if (riverside === undefined) throw new Error('no integration');
      riverside.crm = { kind: 'a-package-that-is-gone' };
      runner.start();
      const { runId } = await runner.request(RIVERSIDE);
      const { report } = await untilEnded(1);
      expect(report).toMatchObject({ id: runId, status: 'failed', trigger: 'manual' });
      expect(report.reason?.message).toContain('a-package-that-is-gone');
      expect(await listRunRequests(application.store.reader)).toEqual([]);
      expect(await application.findRunning('riverside')).toBeNull();
    });

    it('is dropped if its run is on record already', async () => {
      const { runner, application, ended, untilEnded } = await open();
      runner.start();
      const { runId } = await runner.request(RIVERSIDE);
      await untilEnded(1);
      await application.store.act((trx) =>
        requestRun(trx, {
          integrationId: 'riverside',
          contact: null,
          trigger: 'manual',
          full: false,
          runId,
        }),
      );
      runner.wake();
      await until(async () => (await listRunRequests(application.store.reader)).length === 0);
      expect(ended).toHaveLength(1);
    });
  });
});

/** Returns true if a run started before an earlier run had ended. */
function overlaps(reports: readonly RunReport[]): boolean {
  const inOrder = [...reports].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  return inOrder.some(({ startedAt }, index) => {
    const before = inOrder[index - 1]?.finishedAt ?? '';
    return startedAt < before;
  });
}

async function untilRunning({ store }: Application, runId: string): Promise<void> {
  await until(async () => (await findRunById(store.reader, runId))?.status === 'running');
}
