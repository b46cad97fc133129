import { expect, it } from 'vitest';
import {
  listIntegrationsOfSameAccount,
  pinCrmAccount,
} from '../../../src/clients/statements/integrations.ts';
import {
  dropBlocks,
  listBlockedContacts,
  listBlocks,
} from '../../../src/privacy/statements/blocks.ts';
import {
  INTEGRATION,
  storeWorlds,
  takeLease,
  testFingerprint,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('the blocks of erased people', (open) => {
  const createWorld = storeWorlds(open);

  it('lists who is forgotten for each integration', async () => {
    const { store } = await createWorld();
    await eraseContact(store, INTEGRATION, 'c-1');
    await eraseContact(store, INTEGRATION, 'c-2');
    await eraseContact(store, 'lakeside', 'c-3');
    expect(await listBlockedContacts(store.reader, INTEGRATION)).toEqual(
      new Set([testFingerprint('forgotten', 'c-1'), testFingerprint('forgotten', 'c-2')]),
    );
    expect(await listBlockedContacts(store.reader, 'hillside')).toEqual(new Set());
  });

  it('lists who is forgotten in any integration of the same account', async () => {
    const { store, lease } = await createWorld();
    await store.checkpoint(lease, (trx) => pinCrmAccount(trx, 'account-1'));
    const lakeside = await takeLease(store, 'lakeside');
    await eraseContact(store, INTEGRATION, 'c-1');
    expect(await listBlockedContacts(store.reader, 'lakeside')).toEqual(new Set());
    await store.checkpoint(lakeside, (trx) => pinCrmAccount(trx, 'account-1'));
    const fingerprint = testFingerprint('forgotten', 'c-1');
    expect(await listBlockedContacts(store.reader, 'lakeside')).toEqual(new Set([fingerprint]));
    expect(await listIntegrationsOfSameAccount(store.reader, 'lakeside')).toEqual([
      'lakeside',
      INTEGRATION,
    ]);
    // A run recognises the block even if no run has pinned the account yet.
    const blocks = await listBlocks(store.reader, 'hillside', 'account-1');
    expect(blocks).toMatchObject([{ fingerprint, isOwn: true }]);
    expect(await dropBlocks(store, ['lakeside', INTEGRATION], ['c-1'])).toEqual([INTEGRATION]);
    expect(await listBlockedContacts(store.reader, 'lakeside')).toEqual(new Set());
  });
});
