import { describe, expect, it } from 'vitest';
import { confirmRestore, holdRestored } from '../../src/backup/restores.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createNetworkWorld, type NetworkWorld } from './network-world.ts';

const open = closedAfterTest(createNetworkWorld);

/** Resets the mirror to a time when the group was empty. A user then agrees to the restore. */
async function putBack({ store, database }: NetworkWorld): Promise<void> {
  await database.db.deleteFrom('network_members').execute();
  await database.db.deleteFrom('network_adds').execute();
  const hold = { madeAt: Date.now() - 1, unknownAfter: null, isJournaled: false };
  await store.act((trx) => holdRestored(trx, ['riverside'], hold));
  await store.act((trx) => confirmRestore(trx, 'riverside'));
}

describe('a network after a restore', () => {
  it('pays for nobody again who was added since, even if its group could not be read for some runs', async () => {
    const world = await open({ enhanced: 3 });
    world.setBoard(0, 3);
    await world.sync();
    expect(await world.networkSpent()).toBe(3);
    await putBack(world);
    world.crm.addGroup('board', world.people, 1);
    await world.sync({ full: true });
    await world.sync({ full: true });
    world.setBoard(0, 3);
    await world.sync({ full: true });
    expect(await world.networkSpent()).toBe(3);
    // After all contacts have been looked up once, members are no longer looked up.
    const { db } = world.database;
    expect(await db.selectFrom('restore_holds').selectAll().execute()).toEqual([]);
  });
});
