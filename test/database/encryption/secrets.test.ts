import { expect, it } from 'vitest';
import { findSecret, removeSecret, saveSecret } from '../../../src/database/encryption/secrets.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { storeWorlds } from '../store-world.ts';

describeEachDatabase('secrets', (open) => {
  const createWorld = storeWorlds(open);

  it('finds nothing under a name that was never saved', async () => {
    const { store } = await createWorld();
    expect(await findSecret(store.reader, 'token')).toBeNull();
  });

  it('keeps one value for each name, the last one saved', async () => {
    const { store } = await createWorld();
    await store.act((trx) => saveSecret(trx, 'token', 'sealed 1'));
    await store.act((trx) => saveSecret(trx, 'other', 'sealed 2'));
    await store.act((trx) => saveSecret(trx, 'token', 'sealed 3'));
    expect(await findSecret(store.reader, 'token')).toBe('sealed 3');
    expect(await findSecret(store.reader, 'other')).toBe('sealed 2');
  });

  it('takes one away and leaves the others', async () => {
    const { store } = await createWorld();
    await store.act((trx) => saveSecret(trx, 'token', 'sealed 1'));
    await store.act((trx) => saveSecret(trx, 'other', 'sealed 2'));
    await store.act((trx) => removeSecret(trx, 'token'));
    await store.act((trx) => removeSecret(trx, 'never there'));
    expect(await findSecret(store.reader, 'token')).toBeNull();
    expect(await findSecret(store.reader, 'other')).toBe('sealed 2');
  });
});
