import { afterEach, describe, expect, it } from 'vitest';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

const worlds: SyncWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** Opens a service whose matches all have this probability, or have no probability if it is omitted. */
async function open(minProbability: number | null, probability?: number): Promise<SyncWorld> {
  const world = await createSyncWorld({
    integration: { match: { minProbability } },
    partner: (client) => ({
      ...client,
      async readResults(ids, signal) {
        const results = await client.readResults(ids, signal);
        for (const result of results.values()) {
          if (result.state !== 'completed') continue;
          delete result.profile.probability;
          if (probability !== undefined) result.profile.probability = probability;
        }
        return results;
      },
    }),
  });
  worlds.push(world);
  return world;
}

describe('a profile of which the service is not sure', () => {
  it('is held below match.minProbability, and nothing of it is written', async () => {
    const world = await open(0.9, 0.89);
    const [id] = await world.addPeople(1);
    expect((await world.sync()).contacts).toMatchObject({ enhanced: 1, held: 1, written: 0 });
    expect(world.crm.writes).toEqual([]);
    expect(await listOpenQuestions(world.store.reader)).toMatchObject([
      { crmId: id, kind: 'match_unsure', detail: '0.89' },
    ]);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, held: 1 });
    expect(await world.spent()).toBe(1);
  });

  it('is written once a person approves, without another credit', async () => {
    const world = await open(0.9, 0.89);
    await world.addPeople(1);
    await world.sync();
    const [hold] = await listOpenQuestions(world.store.reader);
    if (hold === undefined) throw new Error('There is no hold');
    await recordDecision(world.store, hold, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ written: 1, held: 0 });
    expect(await world.spent()).toBe(1);
  });

  it.each([
    ['the service is as sure as is asked for', 0.9, 0.9],
    ['the service does not say how sure it is', 0.9, undefined],
    ['nothing is asked for', null, 0.1],
  ])('is written if %s', async (_, minProbability, probability) => {
    const world = await open(minProbability, probability);
    await world.addPeople(1);
    expect((await world.sync()).contacts).toMatchObject({ written: 1, held: 0 });
  });
});
