import { describe, expect, it } from 'vitest';
import { createMemoryConnector } from '../../../connectors/memory/connector.ts';
import { createMemoryCrm } from '../../../connectors/memory/crm.ts';
import { openPinned } from '../../../src/sync/control/crm-account.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createSyncWorld, type SyncWorld } from '../../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);

describe('the account of an integration', () => {
  it('is the first one that is opened with the lease in hand', async () => {
    const world = await open();
    await openFor(world, 'first', true);
    expect((await openFor(world, 'first', false)).account.id).toBe('first');
    await expect(openFor(world, 'second', true)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_account_changed',
      message: expect.stringContaining('"CRM second"'),
    });
  });

  it('is not pinned by those who only look', async () => {
    const world = await open();
    await openFor(world, 'first', false);
    expect((await openFor(world, 'second', true)).account.id).toBe('second');
  });

  it('is refused with nothing left open', async () => {
    const world = await open();
    await openFor(world, 'first', true);
    let closed = 0;
    await expect(
      openFor(world, 'second', false, () => {
        closed += 1;
      }),
    ).rejects.toThrow();
    expect(closed).toBe(1);
  });

  it.each(['readByIds', 'describeFields', 'readPages'] as const)(
    'is looked at before anything is asked of another one (%s)',
    async (operation) => {
      const world = await open();
      await world.addPeople(1);
      await openFor(world, 'another account', true);
      await expect(world.sync()).rejects.toMatchObject({ code: 'crm_account_changed' });
      expect(world.crm.calls.open).toBe(1);
      expect(world.crm.calls[operation]).toBe(0);
    },
  );
});

/** Opens the client's CRM, which currently uses this account. */
function openFor(
  world: SyncWorld,
  id: string,
  withALease: boolean,
  onClose: () => void = () => {},
) {
  const { store, integration, deps } = world;
  const crm = createMemoryCrm({ account: { id, name: `CRM ${id}` } });
  const connect = async () => ({
    ...createMemoryConnector(crm, new AbortController().signal),
    close: async () => onClose(),
  });
  return withALease
    ? withLease(deps(), integration.id, (lease) => openPinned(store, integration, lease, connect))
    : openPinned(store, integration, null, connect);
}
