import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../service/database.ts';
import { openNetworkService } from '../../../service/networks/service.ts';
import { anEngineOf, type Tie, watchEngine } from './hand-made-engine.ts';
import { WORLD } from './people.ts';

const DONORS = 12;
const TEAMS = ['one', 'two'];
const NETWORKS = [0, 1, 2];
const FLOOR = 0.45;

describe('the stored connections', () => {
  it('are computed once for each team, as long as a donor is in any network', () => {
    const asked: number[] = [];
    const { service, numbers } = openService(
      watchEngine(anEngineOf([]), (donor) => asked.push(donor)),
    );
    const { members } = service;
    const [first = 0, second = 0] = numbers('one');
    members.add('one', first, 7);
    members.add('one', second, 7);
    members.remove('one', first, 7);
    members.add('one', first, 7);
    expect(asked).toEqual([7]);
    members.remove('one', first, 7);
    members.remove('one', second, 7);
    members.add('one', first, 7);
    expect(asked).toEqual([7, 7]);
    members.add('two', numbers('two')[0] ?? 0, 7);
    expect(asked).toEqual([7, 7, 7]);
  });

  it('are gone with their last member', () => {
    const { service, numbers, db } = openService(anEngineOf([[0, 1, 0.9]]));
    const [network = 0] = numbers('one');
    service.members.add('one', network, 0);
    service.members.remove('one', network, 0);
    for (const table of ['stored_members', 'stored_connections', 'network_members']) {
      expect(db.prepare(`select * from ${table}`).all()).toEqual([]);
    }
  });

  it('answer after any changes of membership what the ties of the present members say', async () => {
    const donor = fc.integer({ min: 0, max: DONORS - 1 });
    // The test uses only a few strengths, so many connections are equally strong.
    const strength = fc.constantFrom(0.1, 0.44, FLOOR, 0.5, 0.7, 1);
    const ties = fc
      .uniqueArray(fc.tuple(donor, donor, strength), {
        selector: ([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`,
        maxLength: 60,
      })
      .map((all) => all.filter(([a, b]) => a !== b));
    const change = fc.record({
      team: fc.constantFrom(...TEAMS),
      network: fc.constantFrom(...NETWORKS),
      donor,
      joins: fc.boolean(),
    });
    const question = fc.record({
      networks: fc.option(fc.subarray(NETWORKS)),
      donors: fc.option(fc.uniqueArray(donor, { maxLength: 5 })),
      minStrength: strength,
      limit: fc.integer({ min: 1, max: DONORS }),
    });
    await fc.assert(
      fc.asyncProperty(
        ties,
        fc.array(change, { maxLength: 60 }),
        question,
        async (all, changes, asked) => {
          const { service, numbers, db } = openService(anEngineOf(all));
          const model = new Map<string, Set<number>>();
          for (const { team, network, donor: who, joins } of changes) {
            const inside = model.get(`${team} ${network}`) ?? new Set();
            model.set(`${team} ${network}`, inside);
            const number = numbers(team)[network] ?? 0;
            if (joins) {
              service.members.add(team, number, who);
              inside.add(who);
            } else {
              service.members.remove(team, number, who);
              inside.delete(who);
            }
          }
          for (const team of TEAMS) {
            const chosen = asked.networks ?? NETWORKS;
            const inside = new Set(
              chosen.flatMap((network) => [...(model.get(`${team} ${network}`) ?? [])]),
            );
            const covered = [...inside].filter((who) => asked.donors?.includes(who) ?? true);
            const networks = asked.networks?.map((network) => numbers(team)[network] ?? 0) ?? null;
            const search = { team, networks, donors: asked.donors, minStrength: asked.minStrength };
            const found = await service.searches.discover(search, asked.limit);
            expect(found.map(({ donor: { id }, ...rest }) => [id, ...shapeOf(rest)])).toEqual(
              expected(all, covered, asked.minStrength)
                .filter(([who]) => !inside.has(who))
                .slice(0, asked.limit)
                .map(([who, ...rest]) => [WORLD.donor(who).id, ...rest]),
            );
          }
          db.close();
        },
      ),
      { numRuns: 150 },
    );
  });
});

function openService(engine: ReturnType<typeof anEngineOf>) {
  const db = openDatabase(undefined);
  onTestFinished(() => {
    db.close();
  });
  let ids = 0;
  const service = openNetworkService({
    db,
    world: WORLD,
    engine,
    clock: () => 0,
    createId: () => String(ids++),
    jobTimeMs: 0,
    report: (error) => {
      throw error;
    },
  });
  for (const team of TEAMS) {
    for (const network of NETWORKS) {
      service.networks.create(team, { name: `Network ${network}`, color: 'teal' });
    }
  }
  const numbers = (team: string) =>
    service.networks
      .all()
      .filter((network) => network.team === team)
      .map(({ number }) => number);
  return { service, numbers, db };
}

function shapeOf(prospect: { max_strength: number; total_connections: number }): number[] {
  return [prospect.max_strength, prospect.total_connections];
}

/** Returns the expected ranking: donor, greatest strength and number of connections. */
function expected(
  ties: readonly Tie[],
  members: readonly number[],
  minStrength: number,
): [number, number, number][] {
  return Array.from({ length: DONORS }, (_, donor): [number, number, number] => {
    const strengths = ties
      .filter(
        ([a, b]) => (a === donor && members.includes(b)) || (b === donor && members.includes(a)),
      )
      .map(([, , strength]) => strength)
      .filter((strength) => strength >= Math.max(FLOOR, minStrength));
    return [donor, Math.max(0, ...strengths), strengths.length];
  })
    .filter(([, , count]) => count > 0)
    .sort(([a, strengthA], [b, strengthB]) => strengthB - strengthA || a - b);
}
