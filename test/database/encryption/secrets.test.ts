import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { storeWorlds } from '../store-world.ts';

describeEachDatabase('secrets', (open) => {
  const createWorld = storeWorlds(open);

  it('finds nothing under a name that was never saved', async () => {
    const { store } = await createWorld();
    expect(await store.secrets.find('token')).toBeNull();
  });

  it('keeps one value for each name, the last one saved', async () => {
    const { store } = await createWorld();
    await store.secrets.save('token', 'sealed 1');
    await store.secrets.save('other', 'sealed 2');
    await store.secrets.save('token', 'sealed 3');
    expect(await store.secrets.find('token')).toBe('sealed 3');
    expect(await store.secrets.find('other')).toBe('sealed 2');
  });

  it('takes one away and leaves the others', async () => {
    const { store } = await createWorld();
    await store.secrets.save('token', 'sealed 1');
    await store.secrets.save('other', 'sealed 2');
    await store.secrets.remove('token');
    await store.secrets.remove('never there');
    expect(await store.secrets.find('token')).toBeNull();
    expect(await store.secrets.find('other')).toBe('sealed 2');
  });
});
