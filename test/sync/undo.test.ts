import { afterEach, describe, expect, it } from 'vitest';
import { undoRun } from '../../src/sync/undo.ts';
import { withLease } from '../../src/sync/with-lease.ts';
import { createSyncWorld, type SyncWorld } from '../helpers/sync-world.ts';

let world: SyncWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** A service that makes everybody a year older each time it is asked. */
function openAgeingWorld(): Promise<SyncWorld> {
  let age = 40;
  return createSyncWorld({
    integration: {
      fields: [
        { from: 'age', to: 'Donor Age' },
        { from: 'donorId', to: 'Donor ID' },
      ],
    },
    partner: (client) => ({
      ...client,
      async readResults(jobIds, signal) {
        const results = await client.readResults(jobIds, signal);
        age += 1;
        for (const result of results.values()) {
          if (result.state === 'completed') result.profile.age = age;
        }
        return results;
      },
    }),
  });
}

function undo({ deps, integration }: SyncWorld, runId: string) {
  const all = deps();
  return withLease(all, integration.id, async (lease) => {
    await all.connector.prepare();
    return undoRun(all, lease, runId);
  });
}

describe('undoRun', () => {
  it('takes back what a newer run had written over, once that is undone too', async () => {
    world = await openAgeingWorld();
    const { crm } = world;
    const [id = ''] = await world.addPeople(1);
    const older = await world.sync();
    const first = crm.valueOf(id, 'Donor Age');
    expect(first).not.toBeNull();
    crm.editContact(id, { employers: ['Another Works'] });
    const newer = await world.sync();
    expect(newer.contacts.written).toBe(1);

    expect((await undo(world, older.id)).fields).toEqual({ restored: 1, editedSince: 1 });
    expect((await undo(world, newer.id)).fields).toEqual({ restored: 1, editedSince: 0 });
    expect(crm.valueOf(id, 'Donor Age')).toBe(first);
    expect((await undo(world, older.id)).fields).toEqual({ restored: 1, editedSince: 0 });
    expect(crm.valueOf(id, 'Donor Age')).toBeNull();
    expect((await undo(world, older.id)).fields).toEqual({ restored: 0, editedSince: 0 });
  });
});
