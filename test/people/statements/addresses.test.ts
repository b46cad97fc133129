import { expect, it } from 'vitest';
import {
  confirmAddress,
  FORMER_MS,
  listAddresses,
  proposeAddress,
} from '../../../src/people/statements/addresses.ts';
import { START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('addresses', (open) => {
  const createWorld = storeWorlds(open);

  const proposed = (id: string, url = `https://${id}.example.org`) => ({
    ...{ id, url, secret: 'sealed', browser: 'browser', proposedBy: 'anna' },
    until: START_MS + 1_000,
  });

  it('have one place for the one that waits: the later request takes it', async () => {
    const { store } = await createWorld();
    await Promise.all(
      ['one', 'two'].map((id) => store.act((trx) => proposeAddress(trx, proposed(id)))),
    );
    const [waiting, ...others] = await listAddresses(store.reader);
    expect(others).toEqual([]);
    const lost = waiting?.id === 'one' ? 'two' : 'one';
    expect(await store.act((trx) => confirmAddress(trx, lost))).toBe(false);
    expect(await store.act((trx) => confirmAddress(trx, waiting?.id ?? ''))).toBe(true);
  });

  it('are confirmed once, also by two browsers at once, and keep nothing about the owner', async () => {
    const { store } = await createWorld();
    await store.act((trx) => proposeAddress(trx, proposed('one')));
    const both = [1, 2].map(() => store.act((trx) => confirmAddress(trx, 'one')));
    expect((await Promise.all(both)).sort()).toEqual([false, true]);
    expect(await listAddresses(store.reader)).toMatchObject([
      { slot: 'current', secret: null, browser: null, proposedBy: null, until: null },
    ]);
  });

  it('keep the former one for a day, until it is the current one again', async () => {
    const { store } = await createWorld();
    const become = async (id: string, url: string) => {
      await store.act((trx) => proposeAddress(trx, proposed(id, url)));
      expect(await store.act((trx) => confirmAddress(trx, id))).toBe(true);
    };
    await become('a', 'https://a.example.org');
    await become('b', 'https://b.example.org');
    const former = { slot: null, url: 'https://a.example.org', until: START_MS + FORMER_MS };
    expect(await listAddresses(store.reader)).toMatchObject([{ slot: 'current' }, former]);
    await become('c', 'https://a.example.org');
    expect(await listAddresses(store.reader)).toMatchObject([
      { id: 'c', slot: 'current', url: 'https://a.example.org' },
      { slot: null, url: 'https://b.example.org' },
    ]);
  });

  it('are not confirmed after their time', async () => {
    const { store } = await createWorld();
    await store.act((trx) => proposeAddress(trx, { ...proposed('one'), until: START_MS }));
    expect(await store.act((trx) => confirmAddress(trx, 'one'))).toBe(false);
  });
});
