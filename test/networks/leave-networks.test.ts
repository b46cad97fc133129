import { afterEach, describe, expect, it } from 'vitest';
import { leaveNetworks } from '../../src/networks/leave-networks.ts';
import { eraseContact } from '../helpers/erasing.ts';
import { everything } from '../store/store-world.ts';
import { createNetworkWorld, type NetworkWorld } from './network-world.ts';

let world: NetworkWorld;
afterEach(() => world.close());

/** A network of six people; the first one is to leave. */
async function openBoard() {
  world = await createNetworkWorld({ enhanced: 7 });
  world.setBoard(0, 6);
  await world.sync();
  const [crmId = ''] = world.people;
  const [donorId = ''] = await world.donorsOf([crmId]);
  return { crmId, donorId };
}

async function leave(crmId: string) {
  const deps = world.deps();
  const attempt = await deps.takeLease('riverside');
  if (!attempt.acquired) throw new Error('another process has the lease');
  const left = await leaveNetworks(deps, attempt.lease, crmId);
  await world.store.leases.release(attempt.lease);
  return left;
}

async function mirrorText(): Promise<string> {
  return JSON.stringify((await everything(world.database.db))['network_members']);
}

describe('leaveNetworks', () => {
  it('removes a person from the service and the mirror at once, for nothing', async () => {
    const { crmId, donorId } = await openBoard();
    expect(await leave(crmId)).toEqual({ left: ['Board'], pending: [] });
    expect((await world.networks())['Board']).toEqual(
      await world.donorsOf(world.people.slice(1, 6)),
    );
    expect(await mirrorText()).not.toContain(donorId);
    expect(await world.networkSpent()).toBe(6);
  });

  it('leaves it to the next sync while the service cannot be asked', async () => {
    const { crmId, donorId } = await openBoard();
    await world.putFaults([
      { on: { path: '/networks/*/members/remove' }, fault: { kind: 'error' } },
    ]);
    expect(await leave(crmId)).toEqual({ left: [], pending: ['Board'] });
    expect(await mirrorText()).toContain(donorId);
    await world.putFaults([]);
    await eraseContact(world.store, 'riverside', crmId);
    await world.sync();
    expect((await world.networks())['Board']).toHaveLength(5);
    expect(await mirrorText()).not.toContain(donorId);
  });

  it('is content with a network that the service does not have any more', async () => {
    const { crmId } = await openBoard();
    await world.byHand('DELETE', `/networks/${await world.networkId('Board')}`);
    expect(await leave(crmId)).toEqual({ left: ['Board'], pending: [] });
  });

  it('removes no person who is another contact as well, or who is in no network', async () => {
    const { crmId, donorId } = await openBoard();
    expect(await leave(world.people[6] ?? '')).toEqual({ left: [], pending: [] });
    await world.database.db
      .updateTable('contacts')
      .set({ donor_id: donorId })
      .where('crm_id', '=', world.people[6] ?? '')
      .execute();
    expect(await leave(crmId)).toEqual({ left: [], pending: [] });
    expect((await world.networks())['Board']).toHaveLength(6);
  });
});
