import { copyFile, rename, rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { NETWORK_STAGES } from '../../src/networks/mirror-networks.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

let world: SyncWorld;
afterEach(() => world.close());

function pathOf({ database }: SyncWorld): string {
  return database.url.replace('sqlite:', '');
}

/** Returns a client that runs an action once, immediately after the response to a call with this name. */
function afterFirst(
  client: PartnerClient,
  name: 'submitEnhancements' | 'readCredits',
  work: () => Promise<void>,
): PartnerClient {
  let isDone = false;
  async function then<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const given = await answer;
    if (!isDone) {
      isDone = true;
      await work();
    }
    return given;
  }
  if (name === 'readCredits') {
    return { ...client, readCredits: (signal) => then(client.readCredits(signal)) };
  }
  return {
    ...client,
    submitEnhancements: (...asked) => then(client.submitEnhancements(...asked)),
  };
}

const CHANGES: [string, (path: string) => Promise<void>][] = [
  ['deleted', (path) => rm(path)],
  [
    'replaced by a copy',
    async (path) => {
      await copyFile(path, `${path}.copy`);
      await rename(`${path}.copy`, path);
    },
  ],
];

describe('a run whose database file is taken away under it', () => {
  it.each(CHANGES)('spends nothing more once it was %s', async (_, change) => {
    let paidBefore = 0;
    async function takeAway(): Promise<void> {
      paidBefore = await world.spent();
      await change(pathOf(world));
    }
    world = await createSyncWorld({
      partner: (client) => afterFirst(client, 'submitEnhancements', takeAway),
    });
    await world.addPeople(250);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'store_replaced' } });
    expect(report.reason?.message).toContain(pathOf(world));
    expect(paidBefore).toBeGreaterThan(0);
    expect(await world.spent()).toBe(paidBefore);
  });

  it('spends nothing at all if it was gone before the first credit', async () => {
    world = await createSyncWorld({
      partner: (client) => afterFirst(client, 'readCredits', () => rm(pathOf(world))),
    });
    await world.addPeople(5);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'store_replaced' } });
    expect(await world.spent()).toBe(0);
  });

  it('adds no member to a network', async () => {
    world = await createSyncWorld({
      integration: { networks: [{ name: 'Board', color: 'teal', group: { group: 'board' } }] },
    });
    const people = await world.addPeople(5);
    world.crm.addGroup('board', people);
    let isSynced = false;
    world.crm.before(async (operation) => {
      if (operation !== 'write' || isSynced) return;
      isSynced = true;
      await rm(pathOf(world));
    });
    const report = await world.sync({ stages: NETWORK_STAGES });
    expect(report.reason?.code).toBe('store_replaced');
    expect(report.credits.networks.spent).toBe(0);
    const requests = await world.requests();
    expect(requests.filter(({ path }) => path.endsWith('/members/batch'))).toEqual([]);
  });
});
