import { expect, it } from 'vitest';
import {
  beginSetupDraft,
  findSetupDraft,
  isSetupIdTaken,
  listOldSetupDrafts,
  listSetupDrafts,
  removeSetupDraft,
  SETUP_KEPT_MS,
  saveSetupDraft,
} from '../../../src/clients/statements/setup-drafts.ts';
import { findSecret, removeSecrets, saveSecret } from '../../../src/database/encryption/secrets.ts';
import { storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('drafts of set-ups', (open) => {
  const createWorld = storeWorlds(open);

  it('begin once for an id, and are changed by who has read the last version alone', async () => {
    const { store } = await createWorld();
    const begun = await Promise.all([
      store.act((trx) => beginSetupDraft(trx, 'a', 'one')),
      store.act((trx) => beginSetupDraft(trx, 'a', 'two')),
    ]);
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await isSetupIdTaken(store.reader, 'a')).toBe(true);
    expect(await isSetupIdTaken(store.reader, 'b')).toBe(false);
    const saved = await Promise.all([
      saveSetupDraft(store.connection, { integrationId: 'a', version: 1, draft: 'three' }),
      saveSetupDraft(store.connection, { integrationId: 'a', version: 1, draft: 'four' }),
    ]);
    expect(saved.filter(Boolean)).toHaveLength(1);
    expect(await findSetupDraft(store.reader, 'a')).toMatchObject({ version: 2 });
    await store.act((trx) => removeSetupDraft(trx, 'a', 'finished'));
    expect(await findSetupDraft(store.reader, 'a')).toBeUndefined();
  });

  it('are over 30 days after they were last touched', async () => {
    const { store, clock } = await createWorld();
    await store.act((trx) => beginSetupDraft(trx, 'a', 'one'));
    await clock.advance(SETUP_KEPT_MS - 1);
    expect(await listSetupDrafts(store.reader)).toHaveLength(1);
    await clock.advance(1);
    expect([await listSetupDrafts(store.reader), await findSetupDraft(store.reader, 'a')]).toEqual([
      [],
      undefined,
    ]);
    expect(
      (await listOldSetupDrafts(store.reader)).map(({ integrationId }) => integrationId),
    ).toEqual(['a']);
  });

  it('leave no secret of theirs behind, and those of others alone', async () => {
    const { store } = await createWorld();
    for (const name of ['integration/a/t', 'integration/ab/t', 'integration/A/t']) {
      await store.act((trx) => saveSecret(trx, name, 'sealed'));
    }
    await store.act((trx) => removeSecrets(trx, 'integration/a/'));
    expect(await findSecret(store.reader, 'integration/a/t')).toBeNull();
    expect(await findSecret(store.reader, 'integration/ab/t')).toBe('sealed');
    expect(await findSecret(store.reader, 'integration/A/t')).toBe('sealed');
  });
});
