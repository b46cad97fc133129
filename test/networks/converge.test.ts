import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Integration } from '../../src/core/integration-settings.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { mirrorOnce } from './mirror-once.ts';
import { type Death, mortal } from './mortal.ts';
import { createNetworkWorld, type NetworkWorld, ON_ADD } from './network-world.ts';

const PEOPLE = 12;

/** The time within which a job ends even if no process polls it. */
const JOBS_END_MS = 50;

let world: NetworkWorld;
beforeAll(async () => {
  world = await createNetworkWorld({ enhanced: PEOPLE, integration: { settleAfterMs: 20 } });
});
afterAll(() => world.close());

/** The events of one night in the CRM, the networks and the service. */
interface Night {
  /** The members of each group, as a bit for each person. Null for a group that cannot be read completely. */
  groups: (number | null)[];
  /** The fault that the service causes during the first bulk add. */
  fault: { kind: string; status?: number; delayMs?: number } | null;
  death: Death | null;
}

const groupArbitrary = fc.option(fc.integer({ min: 0, max: 2 ** PEOPLE - 1 }), { freq: 8 });

const nightArbitrary: fc.Arbitrary<Night> = fc.record({
  groups: fc.array(groupArbitrary, { minLength: 2, maxLength: 2 }),
  fault: fc.option(
    fc.constantFrom(
      { kind: 'resetBefore' },
      { kind: 'resetAfter' },
      { kind: 'truncate' },
      { kind: 'gatewayError', status: 503 },
      { kind: 'lateCharge', delayMs: 5 },
    ),
  ),
  death: fc.option(
    fc.record({
      atCall: fc.integer({ min: 1, max: 40 }),
      moment: fc.constantFrom('before' as const, 'after' as const),
    }),
    { freq: 3 },
  ),
});

it('ends with what the CRM says, and one credit for each membership that ever began', async () => {
  let story = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(nightArbitrary, { minLength: 1, maxLength: 6 }), async (nights) => {
      story += 1;
      const integration = integrationOf(story);
      const spentBefore = await world.networkSpent();
      const seen = createWitness(integration);
      for (const night of nights) {
        await live(integration, night);
        await seen.look();
        await approveAll(integration);
      }
      await world.putFaults([]);
      const wanted = nights.at(-1)?.groups.map((bits) => bits ?? 0) ?? [];
      setGroups(integration, wanted);
      await mirrorOnce(world, undefined, integration);
      if (await approveAll(integration)) {
        await seen.look();
        await mirrorOnce(world, undefined, integration);
      }
      await seen.look();
      const networks = await world.networks();
      for (const [index, { name }] of integration.networks.entries()) {
        const people = peopleOf(wanted[index] ?? 0);
        expect(networks[name] ?? []).toEqual(await world.donorsOf(people));
      }
      expect((await world.networkSpent()) - spentBefore).toBe(seen.begun());
    }),
    { numRuns: 25 },
  );
}, 240_000);

/** Returns a client with separate networks for each story, so all stories can use one service. */
function integrationOf(story: number): Integration {
  const networks = ['board', 'staff'].map((group) => ({
    name: `${group} ${story}`,
    color: 'teal',
    group: { group: `${group} ${story}` },
  }));
  return { ...world.integration, networks };
}

async function live(integration: Integration, { groups, fault, death }: Night): Promise<void> {
  setGroups(integration, groups);
  await world.putFaults(fault === null ? [] : [{ on: ON_ADD, times: 1, fault }]);
  const night = mirrorOnce(
    world,
    (deps) => (death === null ? deps : mortal(deps, death)),
    integration,
  );
  await night.catch((error: unknown) => {
    if (!(error instanceof Error && error.message === 'killed')) throw error;
  });
  await sleep(JOBS_END_MS);
}

function setGroups({ networks }: Integration, groups: readonly (number | null)[]): void {
  for (const [index, { name }] of networks.entries()) {
    const bits = groups[index] ?? null;
    if (bits === null) world.crm.addGroup(name, world.people, 2);
    else world.crm.addGroup(name, peopleOf(bits));
  }
}

function peopleOf(bits: number): string[] {
  return world.people.filter((_, index) => (bits & (1 << index)) !== 0);
}

/** Approves all pending decisions as a user. Returns true if any decision was pending. */
async function approveAll({ id }: Integration): Promise<boolean> {
  const holds = await listOpenQuestions(world.store.reader, id);
  const shrunk = holds.filter(({ kind }) => kind === 'group_shrunk');
  for (const hold of shrunk) await recordDecision(world.store, hold, 'approved');
  return shrunk.length > 0;
}

/** Counts the new memberships at the service. */
function createWitness({ networks }: Integration) {
  const members = new Map<string, Set<string>>();
  let begun = 0;
  return {
    async look() {
      const present = await world.networks();
      for (const { name } of networks) {
        const before = members.get(name) ?? new Set();
        const now = new Set(present[name] ?? []);
        begun += [...now].filter((donorId) => !before.has(donorId)).length;
        members.set(name, now);
      }
    },
    begun: () => begun,
  };
}
