import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import type { Tables } from '../../src/database/tables/tables.ts';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import { NETWORK_STAGES } from '../../src/networks/mirror-networks.ts';
import { listAdds } from '../../src/networks/statements/network-adds.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import { type PostgresProxy, startPostgresProxy } from '../helpers/postgres-proxy.ts';
import { startPostgresServer } from '../helpers/postgres-server.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';
import { freshPostgresUrl } from '../helpers/test-databases.ts';
import { sharedBy } from './shared-by.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  while (closers.length > 0) await closers.pop()?.();
});

async function openOver(url: string, options: SyncWorldOptions = {}): Promise<SyncWorld> {
  const database = { ...(await openDatabase<Tables>(url)), url };
  closers.push(database.close);
  const world = await createSyncWorld({ ...options, database });
  closers.push(world.close);
  return world;
}

async function openProxy(): Promise<PostgresProxy> {
  const proxy = await startPostgresProxy(await freshPostgresUrl());
  closers.push(proxy.close);
  return proxy;
}

/** Returns the number of contacts that are held because the result of their submission is unknown. */
async function lostAnswers({ store }: SyncWorld): Promise<number> {
  const holds = await listOpenQuestions(store.reader);
  return holds.filter(({ kind }) => kind === 'lost_answer').length;
}

/** The duration of an outage, which is longer than a statement takes, and about as long as a small server's restart. */
const AWAY_MS = 3_000;

/** During its first submission, the database becomes unavailable before the response is recorded. */
function awayAfterSubmit(client: PartnerClient, proxy: PostgresProxy): PartnerClient {
  let isFirst = true;
  return {
    ...client,
    async submitEnhancements(...asked) {
      try {
        return await client.submitEnhancements(...asked);
      } finally {
        if (isFirst) proxy.goAway(AWAY_MS);
        isFirst = false;
      }
    },
  };
}

describe('a run whose database goes away for some seconds', () => {
  it('keeps the jobs that an answer brings meanwhile', async () => {
    const proxy = await openProxy();
    const world = await openOver(proxy.url, {
      partner: (client) => awayAfterSubmit(client, proxy),
    });
    await world.addPeople(120);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'succeeded', contacts: { waiting: 0 } });
    expect(await lostAnswers(world)).toBe(0);
    expect(await world.spent()).toBe(report.contacts.submitted);
    expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
  });

  it.each([
    ['was refused', { kind: 'error' }],
    ['was lost', { kind: 'resetBefore' }],
  ])('settles a submission that %s meanwhile', async (_, fault) => {
    const proxy = await openProxy();
    const world = await openOver(proxy.url, {
      partner: (client) => awayAfterSubmit(client, proxy),
    });
    await world.addPeople(10);
    await world.putFaults([{ on: { method: 'POST', path: '/enhancements' }, times: 2, fault }]);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'succeeded', contacts: { submitted: 10, held: 0 } });
    expect(await world.spent()).toBe(10);
  });

  it.each(['before', 'after'] as const)(
    'sends a submission once whose intent was cut off %s it was kept',
    async (moment) => {
      const proxy = await openProxy();
      const world = await openOver(proxy.url);
      await world.addPeople(10);
      proxy.cut({ at: 'commit', moment, within: 'insert into "submissions"', awayMs: 500 });
      const report = await world.sync();
      expect(proxy.cuts()).toBe(1);
      expect(report).toMatchObject({ status: 'succeeded', contacts: { submitted: 10, held: 0 } });
      expect(await world.spent()).toBe(10);
    },
  );

  it.each(['before', 'after'] as const)(
    'writes an answer down once that was cut off %s it was kept',
    async (moment) => {
      const proxy = await openProxy();
      const world = await openOver(proxy.url);
      await world.addPeople(10);
      proxy.cut({ at: 'commit', moment, within: 'update "submissions"', awayMs: 500 });
      const report = await world.sync();
      expect(proxy.cuts()).toBe(1);
      expect(report).toMatchObject({ status: 'succeeded', contacts: { submitted: 10, held: 0 } });
      expect(report.credits.enhancements.spent).toBe(10);
      expect(await world.spent()).toBe(10);
    },
  );

  it('keeps the job of a bulk add that was accepted meanwhile', async () => {
    const proxy = await openProxy();
    const world = await openOver(proxy.url, {
      service: { networkJobTimeMs: 0 },
      integration: { networks: [{ name: 'Board', color: 'teal', group: { group: 'board' } }] },
      partner: (client) => ({
        ...client,
        networks: {
          ...client.networks,
          async addMembers(...asked) {
            const job = await client.networks.addMembers(...asked);
            proxy.goAway(AWAY_MS);
            return job;
          },
        },
      }),
    });
    world.crm.addGroup('board', await world.addPeople(5));
    const report = await world.sync({ stages: NETWORK_STAGES });
    expect(report.status).toBe('succeeded');
    expect(report.networks).toMatchObject([{ failed: 0 }]);
    expect(report.networks[0]?.added).toBe(report.credits.networks.spent);
    const lost = await listAdds(world.store.reader, 'riverside', 'unclear');
    expect(lost).toEqual([]);
  });
});

it('comes to its end over a Postgres that is restarted again and again', async () => {
  const server = await startPostgresServer();
  closers.push(server.stop);
  const world = await openOver(server.url, { service: { jobTimeMs: 1_500 } });
  await world.addPeople(450);
  const running = world.sync();
  const restarts = new AbortController();
  const restarting = restartNowAndThen(server, restarts.signal);
  const report = await running;
  restarts.abort();
  expect(await restarting).toBeGreaterThan(1);
  expect(report).toMatchObject({ status: 'succeeded', contacts: { waiting: 0 } });
  expect(await lostAnswers(world)).toBe(0);
  const { submitted } = report.contacts;
  expect(submitted + (await sharedBy(world, report))).toBe(report.contacts.chosen);
  expect(await world.spent()).toBe(submitted);
  expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
}, 120_000);

/** Restarts the database server repeatedly until the signal. Each outage takes a second. */
async function restartNowAndThen(
  { restart }: { restart(pauseSeconds: number): void },
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 700));
    if (signal.aborted) break;
    restart(1);
    count += 1;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
  }
  return count;
}
