import { expect, it } from 'vitest';
import { listApprovedKinds } from '../../../src/decisions/statements/delivery-answers.ts';
import { recordDecision } from '../../../src/decisions/statements/questions.ts';
import { crmIds, holdForName, holdOf, trackingIdOf } from '../../contacts/contact-stages.ts';
import { storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('listApprovedKinds', (open) => {
  const createWorld = storeWorlds(open);

  it('names the approved ones among many, and no other', async () => {
    const world = await createWorld();
    const ids = crmIds(131);
    await holdForName(world, ids);
    for (const id of ['c-000', 'c-130'])
      await recordDecision(world.store, await holdOf(world, id), 'approved');
    await recordDecision(world.store, await holdOf(world, 'c-001'), 'rejected');
    expect(await listApprovedKinds(world.store.reader, ids.map(trackingIdOf))).toEqual(
      new Map([
        [trackingIdOf('c-000'), 'name_mismatch'],
        [trackingIdOf('c-130'), 'name_mismatch'],
      ]),
    );
    expect(await listApprovedKinds(world.store.reader, [trackingIdOf('c-002')])).toEqual(new Map());
    expect(await listApprovedKinds(world.store.reader, [])).toEqual(new Map());
  });
});
