import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { FatalError } from '../../src/core/errors.ts';
import {
  findSpendMark,
  listAdds,
  recordAddIntent,
} from '../../src/networks/statements/network-adds.ts';
import { listNetworkMembers } from '../../src/networks/statements/network-members.ts';
import { listNetworks } from '../../src/networks/statements/networks.ts';
import type { SyncDeps } from '../../src/sync/control/context.ts';
import { expectBoard, open } from './board.ts';
import { mirrorOnce, withNetworks } from './mirror-once.ts';
import { type NetworkWorld, ON_ADD, ON_JOB } from './network-world.ts';

/** The maximum duration of a job. No test takes this long, but a test can move the clock past the maximum. */
const JOB_MS = 600_000;

/** Returns the members of "Board". If jobs are due, the service completes the jobs before it responds. */
async function membersOf({ byHand, networks }: NetworkWorld): Promise<string[] | undefined> {
  await byHand('GET', `/networks/jobs/${'0'.repeat(32)}`).catch(() => null);
  return (await networks())['Board'];
}

describe('the networks bucket', () => {
  it('that runs empty in the middle leaves the rest to the run after the next purchase', async () => {
    const here = await open({ enhanced: 250, service: { donors: 3_000 } });
    const buy = (networks: number) => here.issueKey({ team: 'team-poor', credits: { networks } });
    const apiKey = await buy(130);
    const integration = { ...here.integration, partner: { ...here.integration.partner, apiKey } };
    here.setBoard(0, 250);
    const report = await here.sync({ integration });
    expect(report).toMatchObject({
      status: 'incomplete',
      reason: { code: 'credits_exhausted' },
      networks: [{ added: 130, failed: 0 }],
      credits: { networks: { spent: 130, remaining: 0 } },
    });
    expect(report.reason?.message).toContain('120 more');
    await buy(500);
    const next = await here.sync({ integration });
    expect(next).toMatchObject({ status: 'succeeded', networks: [{ added: 120, kept: 130 }] });
    await expectBoard(here, here.people, 250);
    const adds = (await here.networkCalls()).filter((call) => call.endsWith('/members/batch'));
    expect(adds).toHaveLength(4);
  });

  it('that another takes from meanwhile leaves no member half paid', async () => {
    const here = await open({ enhanced: 6 });
    here.setBoard(0, 6);
    await here.putFaults([{ on: ON_ADD, times: 1, fault: { kind: 'processFewer', processed: 2 } }]);
    expect(await here.sync()).toMatchObject({
      reason: { code: 'credits_exhausted' },
      networks: [{ added: 2, failed: 0 }],
      credits: { networks: { spent: 2 } },
    });
    expect((await here.sync()).networks[0]).toMatchObject({ added: 4, kept: 2 });
    await expectBoard(here, here.people.slice(0, 6), 6);
  });

  it('gives no more than may be taken, and says which limit it was', async () => {
    const here = await open({
      enhanced: 10,
      integration: { budget: { networks: { keep: 99_996 } } },
    });
    here.setBoard(0, 10);
    const report = await here.sync();
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'budget_reached' } });
    expect(report.reason?.message).toContain('budget.networks.keep');
    expect(await here.networkSpent()).toBe(4);
  });
});

describe('a bulk add', () => {
  it('sets aside a donor that the service does not know', async () => {
    const here = await open({ enhanced: 5 });
    const [ghost = ''] = here.people;
    await here.database.db
      .updateTable('contacts')
      .set({ donor_id: 'f'.repeat(32) })
      .where('crm_id', '=', ghost)
      .execute();
    here.setBoard(0, 5);
    expect((await here.sync()).networks[0]).toMatchObject({ added: 4, failed: 1 });
    expect((await here.networks())['Board']).toHaveLength(4);
    const spent = await here.networkSpent();
    expect((await here.sync()).networks[0]).toMatchObject({ added: 0, failed: 0, kept: 4 });
    expect(await here.networkSpent()).toBe(spent);
  });

  it('that fails in the middle is not paid for again by itself', async () => {
    const here = await open({ enhanced: 8 });
    here.setBoard(0, 8);
    await here.putFaults([{ on: ON_ADD, fault: { kind: 'networkJobFails', afterMembers: 3 } }]);
    expect((await here.sync()).networks[0]).toMatchObject({ added: 3, failed: 5 });
    await here.putFaults([]);
    expect((await here.sync()).networks[0]).toMatchObject({ added: 0, kept: 3 });
    expect(await here.networkSpent()).toBe(8);
    const [row] = await listNetworks(here.store.reader, 'riverside');
    const members = await listNetworkMembers(here.store.reader, row?.id ?? '');
    expect(members.filter(({ state }) => state === 'failed')).toHaveLength(5);
  });

  it.each([{ kind: 'jobsVanish' }, { kind: 'resetBefore' }, { kind: 'error' }])(
    'is settled although polling its job goes wrong ($kind)',
    async (fault) => {
      const here = await open({ enhanced: 6 });
      here.setBoard(0, 6);
      await here.putFaults([{ on: ON_JOB, times: 1, fault }]);
      await here.sync();
      await here.sync();
      await expectBoard(here, here.people.slice(0, 6), 6);
    },
  );

  it('that never ends is given up after a day, and not before', async () => {
    let clockMs = Date.now();
    const here = await open({ enhanced: 3 });
    here.setBoard(0, 3);
    await here.putFaults([{ on: ON_ADD, fault: { kind: 'jobsNeverEnd' } }]);
    const hurry = (deps: SyncDeps): SyncDeps => ({
      ...deps,
      clock: {
        now: () => clockMs,
        monotonicMs: () => clockMs,
        async sleep(ms) {
          clockMs += ms;
          await new Promise((resolve) => setTimeout(resolve, 1));
        },
      },
    });
    await mirrorOnce(here, hurry);
    const [running] = await listAdds(here.store.reader, 'riverside', 'running');
    expect(running).toMatchObject({ donors: 3 });
    clockMs += 86_400_000;
    await mirrorOnce(here, hurry);
    expect(await listAdds(here.store.reader, 'riverside', 'running')).toEqual([]);
    const members = await listNetworkMembers(here.store.reader, running?.network ?? '');
    expect(members.map(({ detail }) => detail)).toEqual(Array(3).fill('job_too_old'));
    expect(await here.networkSpent()).toBe(3);
  });
});

describe('a bulk add that may not leave', () => {
  it('is not sent while the clock is wrong, and is sent once it is right', async () => {
    let shiftMs = 0;
    let setTo = 365 * 86_400_000;
    const here = await open({
      enhanced: 3,
      clock: { ...systemClock, now: () => Date.now() + shiftMs },
      partner: (client) => ({
        ...client,
        networks: {
          ...client.networks,
          async create(...asked) {
            const created = await client.networks.create(...asked);
            shiftMs = setTo;
            return created;
          },
        },
      }),
    });
    here.setBoard(0, 3);
    const stopped = await here.sync();
    expect(stopped).toMatchObject({ status: 'incomplete', reason: { code: 'clock_wrong' } });
    expect(await here.networkSpent()).toBe(0);
    [shiftMs, setTo] = [0, 0];
    expect((await here.sync()).status).toBe('succeeded');
    await expectBoard(here, here.people.slice(0, 3), 3);
  });
});

describe('a lost answer to a bulk add', () => {
  it.each([
    { kind: 'resetBefore' },
    { kind: 'gatewayError', status: 502 },
    { kind: 'resetAfter' },
    { kind: 'truncate' },
    { kind: 'contentType' },
    { kind: 'unreadable', as: 'shape' },
    { kind: 'unreadable', as: 'tooLate' },
    { kind: 'lateCharge', delayMs: 100 },
  ])(
    'is settled by asking where the donors are, and no member is paid twice ($kind)',
    async (fault) => {
      const here = await open({ enhanced: 130, service: { donors: 3_000 } });
      here.setBoard(0, 130);
      await here.putFaults([{ on: ON_ADD, times: 1, fault }]);
      const report = await here.sync();
      expect(report).toMatchObject({ status: 'succeeded', networks: [{ added: 130, failed: 0 }] });
      await expectBoard(here, here.people, 130);
      expect(report.credits.networks.spent).toBe(130);
    },
  );

  it('whose job is still at work is waited for, and no member is added twice', async () => {
    let aheadMs = 0;
    const here = await open({
      enhanced: 6,
      service: { networkJobTimeMs: JOB_MS, clock: () => Date.now() + aheadMs },
    });
    here.setBoard(0, 6);
    await here.putFaults([{ on: ON_ADD, times: 1, fault: { kind: 'resetAfter' } }]);
    await here.sync();
    expect(await listAdds(here.store.reader, 'riverside', 'unclear')).toHaveLength(1);
    aheadMs = JOB_MS;
    await expect.poll(() => membersOf(here)).toHaveLength(6);
    await here.sync();
    expect(await listAdds(here.store.reader, 'riverside', 'unclear')).toEqual([]);
    await expectBoard(here, here.people.slice(0, 6), 6);
  });

  it('of a killed process is settled after the whole quiet time, also by a clock that is ahead', async () => {
    let shiftMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + shiftMs };
    const here = await open({ enhanced: 3, clock, integration: { settleAfterMs: 1_500 } });
    here.setBoard(0, 3);
    await here.putFaults([{ on: ON_ADD, times: 1, fault: { kind: 'lateCharge', delayMs: 700 } }]);
    // The process is killed while its request is in flight, so the result is not recorded.
    let isKilled = false;
    const kill = (deps: SyncDeps): SyncDeps => ({
      ...withNetworks(deps, (networks) => ({
        async addMembers(...asked) {
          await networks.addMembers(...asked).catch(() => undefined);
          isKilled = true;
          throw new FatalError('killed', { code: 'killed' });
        },
      })),
      store: {
        ...deps.store,
        checkpoint: (lease, work) =>
          isKilled ? Promise.reject(new Error('killed')) : deps.store.checkpoint(lease, work),
      },
    });
    await expect(mirrorOnce(here, kill)).rejects.toThrow('killed');
    shiftMs = 120_000;
    await here.sync();
    await here.sync();
    await expectBoard(here, here.people.slice(0, 3), 3);
  });

  it('of an integration that died is settled by another one with the same key', async () => {
    const here = await open({ enhanced: 6 });
    here.setBoard(0, 6);
    const deps = here.deps();
    const died = await deps.takeLease('lakeside');
    if (!died.acquired) throw new Error('another process has the lease');
    const [donor = ''] = await here.donorsOf(here.people.slice(0, 1));
    const partnerKey = here.store.fingerprint('partner_key', here.integration.partner.apiKey);
    await here.store.checkpoint(died.lease, async (trx) =>
      recordAddIntent(trx, {
        id: 'add-of-the-dead',
        runId: 'run-of-the-dead',
        network: 'n',
        networkId: 'n',
        partnerKey,
        donorIds: [donor],
        balanceBefore: 100_000,
        spendMark: await findSpendMark(trx, partnerKey),
      }),
    );
    await here.store.leases.release(died.lease);
    expect((await here.sync()).networks[0]).toMatchObject({ added: 6 });
    expect(await listAdds(here.store.reader, 'lakeside', 'unpaid')).toHaveLength(1);
    await expectBoard(here, here.people.slice(0, 6), 6);
  });
});
