import { expect, it } from 'vitest';
import { SETUP_KEPT_MS } from '../../../src/clients/statements/setup-drafts.ts';
import { storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('drafts of set-ups', (open) => {
  const createWorld = storeWorlds(open);

  it('begin once for an id, and are changed by who has read the last version alone', async () => {
    const { store } = await createWorld();
    const { setupDrafts } = store;
    const begun = await Promise.all([setupDrafts.begin('a', 'one'), setupDrafts.begin('a', 'two')]);
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await setupDrafts.isTaken('a')).toBe(true);
    expect(await setupDrafts.isTaken('b')).toBe(false);
    const saved = await Promise.all([
      setupDrafts.save({ integrationId: 'a', version: 1, draft: 'three' }),
      setupDrafts.save({ integrationId: 'a', version: 1, draft: 'four' }),
    ]);
    expect(saved.filter(Boolean)).toHaveLength(1);
    expect(await setupDrafts.find('a')).toMatchObject({ version: 2 });
    await setupDrafts.remove('a', 'finished');
    expect(await setupDrafts.find('a')).toBeUndefined();
  });

  it('are over 30 days after they were last touched', async () => {
    const { store, clock } = await createWorld();
    const { setupDrafts } = store;
    await setupDrafts.begin('a', 'one');
    await clock.advance(SETUP_KEPT_MS - 1);
    expect(await setupDrafts.list()).toHaveLength(1);
    await clock.advance(1);
    expect([await setupDrafts.list(), await setupDrafts.find('a')]).toEqual([[], undefined]);
    expect((await setupDrafts.listOld()).map(({ integrationId }) => integrationId)).toEqual(['a']);
  });

  it('leave no secret of theirs behind, and those of others alone', async () => {
    const { store } = await createWorld();
    for (const name of ['integration/a/t', 'integration/ab/t', 'integration/A/t']) {
      await store.secrets.save(name, 'sealed');
    }
    await store.secrets.removeAll('integration/a/');
    expect(await store.secrets.find('integration/a/t')).toBeNull();
    expect(await store.secrets.find('integration/ab/t')).toBe('sealed');
    expect(await store.secrets.find('integration/A/t')).toBe('sealed');
  });
});
