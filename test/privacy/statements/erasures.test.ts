import { expect, it } from 'vitest';
import { listBlockedContacts } from '../../../src/privacy/statements/blocks.ts';
import {
  beginErasure,
  eraseFromStore,
  findErasures,
  noteErasureReceipt,
} from '../../../src/privacy/statements/erasures.ts';
import {
  INTEGRATION,
  START_MS,
  storeWorlds,
  takeLease,
  testFingerprint,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { MARKED } from './traces.ts';

describeEachDatabase('an erasure', (open) => {
  const createWorld = storeWorlds(open);

  it('says whether anything was known, and keeps the person away all the same', async () => {
    const { store } = await createWorld();
    expect(await eraseContact(store, INTEGRATION, MARKED)).toMatchObject({ contacts: 0, jobs: 0 });
    expect(await listBlockedContacts(store.reader, INTEGRATION)).toEqual(
      new Set([testFingerprint('forgotten', MARKED)]),
    );
  });

  it('can be repeated, and remembers when it was done first', async () => {
    const world = await createWorld();
    await eraseContact(world.store, INTEGRATION, MARKED);
    await world.clock.advance(1_000);
    await eraseContact(world.store, INTEGRATION, MARKED);
    expect(await world.db.selectFrom('forgotten').selectAll().execute()).toMatchObject([
      { integration_id: INTEGRATION, forgotten_at: START_MS },
    ]);
  });

  it('blocks from its beginning, and says that it has not come to its end', async () => {
    const { store, clock, lease } = await createWorld();
    const erasure = { crmId: 'c-1', person: null, everywhere: false };
    await beginErasure(store, lease, { ...erasure, state: 'begun', donors: [], receipt: '{}' });
    expect((await listBlockedContacts(store.reader, INTEGRATION)).size).toBe(1);
    const found = () => findErasures(store, [INTEGRATION], ['c-0', 'c-1']);
    expect(await found()).toMatchObject([
      { state: 'begun', donors: '[]', receipt: '{}', erasedAt: null },
    ]);
    await clock.advance(1_000);
    await eraseContact(store, INTEGRATION, 'c-1', {
      buildReceipt: ({ jobs }) => `{"jobs":${jobs}}`,
    });
    expect(await found()).toMatchObject([
      {
        state: 'erased',
        receipt: '{"jobs":0}',
        forgottenAt: START_MS,
        erasedAt: START_MS + 1_000,
      },
    ]);
  });

  it('changes nothing once another process has the lease', async () => {
    const { store, lease } = await createWorld();
    await takeLease(store, INTEGRATION);
    const erasure = { crmId: 'c-1', person: null, everywhere: false, donors: [], receipt: null };
    const lost = { code: 'lease_lost' };
    await expect(beginErasure(store, lease, { ...erasure, state: 'begun' })).rejects.toMatchObject(
      lost,
    );
    await expect(eraseFromStore(store, lease, 'c-1')).rejects.toMatchObject(lost);
    const noted = store.checkpoint(lease, (trx) => noteErasureReceipt(trx, 'c-1', '{}'));
    await expect(noted).rejects.toMatchObject(lost);
    expect(await findErasures(store, [INTEGRATION], ['c-1'])).toEqual([]);
  });
});
