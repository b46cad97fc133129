import { afterEach, describe, expect, it } from 'vitest';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';

const worlds: SyncWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** Opens a service whose profiles say that the people have died. */
async function open(options: SyncWorldOptions = {}, lastName?: string): Promise<SyncWorld> {
  const world = await createSyncWorld({
    ...options,
    partner: (client) => ({
      ...client,
      async readResults(ids, signal) {
        const results = await client.readResults(ids, signal);
        for (const result of results.values()) {
          if (result.state !== 'completed') continue;
          result.profile.isDeceased = true;
          if (lastName !== undefined) result.profile.name.last = lastName;
        }
        return results;
      },
    }),
  });
  worlds.push(world);
  return world;
}

async function theHold({ store }: SyncWorld) {
  const [hold, ...more] = await listOpenQuestions(store.reader);
  if (!hold || more.length > 0) throw new Error('There is not one hold');
  return hold;
}

describe('a profile of a person who has died', () => {
  it('is held for a person, and nothing of it is written', async () => {
    const world = await open();
    const [id] = await world.addPeople(1);
    expect((await world.sync()).contacts).toMatchObject({ enhanced: 1, held: 1, written: 0 });
    expect(world.crm.writes).toEqual([]);
    expect(await theHold(world)).toMatchObject({ crmId: id, kind: 'profile_deceased' });
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, held: 1 });
    expect(await world.spent()).toBe(1);
  });

  it('is written once a person approves, without another credit', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(1);
    await world.sync();
    await recordDecision(world.store, await theHold(world), 'approved');
    expect((await world.sync()).contacts).toMatchObject({ written: 1, held: 0 });
    expect(world.crm.valueOf(id, 'Donor ID')).not.toBeNull();
    expect(await world.spent()).toBe(1);
  });

  it('leaves the contact alone once a person rejects', async () => {
    const world = await open();
    await world.addPeople(1);
    await world.sync();
    await recordDecision(world.store, await theHold(world), 'rejected');
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
  });

  it('is a question of its own after the name was approved', async () => {
    const world = await open({}, 'Quillfeather');
    await world.addPeople(1);
    await world.sync();
    const name = await theHold(world);
    expect(name.kind).toBe('name_mismatch');
    await recordDecision(world.store, name, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ held: 1, written: 0 });
    const death = await theHold(world);
    expect(death).toMatchObject({ kind: 'profile_deceased', detail: null });
    await recordDecision(world.store, death, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ held: 0, written: 1 });
  });

  it('is asked about again if the contact became another person after the approval', async () => {
    const world = await open();
    const [id = ''] = await world.addPeople(1);
    await world.sync();
    await recordDecision(world.store, await theHold(world), 'approved');
    world.crm.editContact(id, { addresses: ['1 Elsewhere Road, Springfield, IL 62701'] });
    expect((await world.sync()).contacts).toMatchObject({ held: 1, written: 0 });
  });

  it('is written where the settings include the dead', async () => {
    const world = await open({ integration: { contacts: { includeDeceased: true } } });
    await world.addPeople(1);
    expect((await world.sync()).contacts).toMatchObject({ written: 1, held: 0 });
  });

  it('counts as known in the trial of a mapping', async () => {
    const world = await open();
    await world.addPeople(60);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    expect(await world.spent()).toBeGreaterThan(40);
  });
});
