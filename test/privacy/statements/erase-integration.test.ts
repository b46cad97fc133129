import { expect, it } from 'vitest';
import { eraseIntegration } from '../../../src/privacy/statements/erase-integration.ts';
import { INTEGRATION, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { leaveTraces } from './traces.ts';

describeEachDatabase('eraseIntegration', (open) => {
  const createWorld = storeWorlds(open);

  it('counts each row of a client that leaves once, although the database made it try again', async () => {
    const world = await createWorld();
    await leaveTraces(world);
    const { db, clock } = world;
    const tried = await eraseIntegration(db, INTEGRATION, clock.now(), async (work) => {
      const refused = new Error('refused by the database');
      const first = db.transaction().execute(async (trx) => {
        await work(trx);
        throw refused;
      });
      await expect(first).rejects.toBe(refused);
      return db.transaction().execute(work);
    });
    expect(tried.erased).toMatchObject({ contacts: 1, holds: 1, writes: 1, profiles: 1, runs: 1 });
    expect(tried.kept).toMatchObject({ jobs: 1, submissions: 1 });
  });
});
