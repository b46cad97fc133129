/** Tests that a profile whose values an undo has taken out of the CRM no longer counts, and when it counts again. */
import { expect, it } from 'vitest';
import { listGivingOfSpan } from '../../src/fields/statements/giving-records.ts';
import { undoRun } from '../../src/fields/undo.ts';
import { openCrm } from '../../src/sync/control/crm-account.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import type { SyncWorld } from '../helpers/sync-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { open } from './worlds.ts';

async function undo(world: SyncWorld, runId: string): Promise<void> {
  const deps = world.deps();
  await withLease(deps, 'riverside', async (lease) =>
    undoRun(await openCrm(deps, lease), lease, runId),
  );
}

async function countGiving({ store }: SyncWorld): Promise<number> {
  const ever = { from: 0, until: Number.MAX_SAFE_INTEGER };
  const page = { after: null, limit: 1_000 };
  return (await listGivingOfSpan(store.reader, 'riverside', ever, page)).length;
}

describeEachDatabase('a profile whose values an undo has restored', (openDatabase) => {
  it('does not count until its values are written again', async () => {
    const world = await open({ database: await openDatabase() });
    await world.addPeople(10);
    const { id: runId } = await world.sync();
    const before = await countGiving(world);
    expect(before).toBeGreaterThan(5);
    await undo(world, runId);
    expect(await countGiving(world)).toBe(0);
    await world.sync();
    expect(await countGiving(world)).toBe(0);
    await world.sync({ redelivery: { fields: null } });
    expect(await countGiving(world)).toBe(before);
  });

  it('does not keep a newer profile from counting', async () => {
    const world = await open({ database: await openDatabase() });
    const [moved = ''] = await world.addPeople(10);
    const { id: runId } = await world.sync();
    await undo(world, runId);
    world.crm.editContact(moved, { employers: ['Quarry Lane Partners'] });
    const { contacts } = await world.sync();
    expect(contacts.written).toBe(1);
    expect(await countGiving(world)).toBe(1);
  });
});
