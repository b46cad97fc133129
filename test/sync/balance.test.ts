import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  findAllowance,
  MAX_AGE_IN_FLIGHT_MS,
  MAX_READING_AGE_MS,
  mustReadBalance,
} from '../../src/credits/balance.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import type { Run } from '../../src/sync/control/context.ts';
import { createRunControl } from '../../src/sync/control/control.ts';
import { readableIdentities } from '../helpers/identities.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';

const worlds: SyncWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function open(options: SyncWorldOptions): Promise<SyncWorld> {
  const world = await createSyncWorld(options);
  worlds.push(world);
  return world;
}

const known = { balance: 50_000, ageMs: 0, keep: 500, underWay: 0 };

describe('mustReadBalance', () => {
  it('is content with a reading that is fresh and far from what is to be kept', () => {
    expect(mustReadBalance(known)).toBe(false);
  });

  it('wants one where there is none, or one that is ten seconds old', () => {
    expect(mustReadBalance({ ...known, balance: null })).toBe(true);
    const rich = { ...known, balance: 1_000_000 };
    expect(mustReadBalance({ ...rich, ageMs: MAX_READING_AGE_MS - 1 })).toBe(false);
    expect(mustReadBalance({ ...rich, ageMs: MAX_READING_AGE_MS })).toBe(true);
  });

  it('wants one before each submission near the end of the bucket, with what is under way counted', () => {
    const nothingToKeep = { ...known, keep: 0 };
    expect(mustReadBalance({ ...nothingToKeep, balance: 999 })).toBe(true);
    expect(mustReadBalance({ ...nothingToKeep, balance: 1_000 })).toBe(false);
    expect(mustReadBalance({ ...nothingToKeep, balance: 1_099, underWay: 100 })).toBe(true);
  });

  it('wants one wherever others can reach what is to be kept while a reading is fresh', () => {
    // With a limit of ten submissions per second and a burst of ten, a run of submissions with a hundred people each
    // takes ten seconds.
    expect(mustReadBalance({ ...known, balance: 11_499 })).toBe(true);
    expect(mustReadBalance({ ...known, balance: 11_500 })).toBe(false);
    expect(mustReadBalance({ ...known, balance: 11_599, underWay: 100 })).toBe(true);
  });

  it('lets one be older while submissions are under way, as far as others cannot reach what is to be kept', () => {
    const flying = { ...known, underWay: 500, ageMs: 20_000 };
    expect(mustReadBalance({ ...flying, balance: 21_999 })).toBe(true);
    expect(mustReadBalance({ ...flying, balance: 22_000 })).toBe(false);
    expect(mustReadBalance({ ...flying, keep: 0, balance: 1_500 })).toBe(false);
    const old = { ...flying, keep: 0, ageMs: MAX_AGE_IN_FLIGHT_MS };
    expect(mustReadBalance({ ...old, balance: 1_000_000 })).toBe(true);
  });
});

describe('a balance that is to be kept', () => {
  it('is read anew once it is old or was read before the clock was set back', async () => {
    const world = await open({ service: { credits: 50_000 } });
    await world.addPeople(3);
    const { id } = await world.sync();
    const deps = world.deps();
    const run = aRun(world, id);
    const remembered = { balance: 20_000, balance_read_at: Date.now() };
    await world.database.db.updateTable('partner_keys').set(remembered).execute();
    expect(await findAllowance(deps, run)).toMatchObject({ credits: 20_000 });
    const longAgo = { balance_read_at: Date.now() - MAX_READING_AGE_MS };
    await world.database.db.updateTable('partner_keys').set(longAgo).execute();
    expect(await findAllowance(deps, run)).toMatchObject({ credits: 49_997 });
    const ahead = { balance: 123, balance_read_at: Date.now() + 3_600_000 };
    await world.database.db.updateTable('partner_keys').set(ahead).execute();
    expect(await findAllowance(deps, run)).toMatchObject({ credits: 49_997 });
  });

  it.each([
    { beside: 0, between: 1_000 },
    { beside: 0, between: 1_300 },
    { beside: 600, between: 0 },
    { beside: 300, between: 700 },
  ])(
    'is kept while another spends with the same key ($beside beside, $between between ours)',
    async (foreign) => {
      const balances: number[] = [];
      const world = await open({
        service: { credits: 2_000 },
        integration: { budget: { keep: 500 } },
        partner: (client) => withSecondSpender(client, foreign, balances),
      });
      await world.addPeople(1_900);
      const report = await world.sync();
      expect(report.reason?.code).toBe('budget_reached');
      // At most one submission was in flight at any time.
      expect(Math.min(...balances)).toBeGreaterThanOrEqual(500 - 100);
      expect(Math.min(...balances)).toBeLessThanOrEqual(500);
    },
  );
});

/**
 * Simulates a different program that spends from donor-sync's bucket. The other program spends a hundred credits during
 * each of donor-sync's submissions, up to a total of `beside`. After the second submission, it spends all of `between`.
 * The other program is as fast as the service's limit allows: ten requests at one time, and then ten per second.
 * Records the balance after each of donor-sync's submissions.
 */
function withSecondSpender(
  client: PartnerClient,
  { beside, between }: { beside: number; between: number },
  balances: number[],
): PartnerClient {
  let spentBeside = 0;
  return {
    ...client,
    async submitEnhancements(persons, signal, mayLeave) {
      if (spentBeside < beside) {
        spentBeside += 100;
        await client.submitEnhancements(strangers());
      }
      const answer = await client.submitEnhancements(persons, signal, mayLeave);
      balances.push((await client.readCredits()).enhancements);
      if (balances.length === 2) {
        for (let sent = 0; sent < between; sent += 100) {
          if (sent >= 1_000) await sleep(100);
          await client.submitEnhancements(strangers());
        }
      }
      return answer;
    },
  };
}

let stranger = 0;

function strangers() {
  return Array.from({ length: 100 }, () => {
    stranger += 1;
    const trackingId = `foreign-${stranger}`;
    return { trackingId, firstName: 'Quax', lastName: 'Zylbrod', addresses: [], employers: [] };
  });
}

/** Returns a manual run with the given ID and without a field map. */
function aRun({ integration, store, deps }: SyncWorld, id: string): Run {
  return {
    id,
    lease: { integrationId: integration.id, epoch: 1 },
    integration,
    trigger: 'manual',
    mappings: [],
    mapping: '',
    fields: [],
    described: new Set(),
    partnerKey: store.fingerprint('partner_key', integration.partner.apiKey),
    groupMembers: new Set(),
    ignored: new Set(),
    identities: readableIdentities(store),
    forgotten: new Set(),
    full: false,
    only: null,
    limit: null,
    adopt: false,
    control: createRunControl(deps().clock, new AbortController().signal),
  };
}
