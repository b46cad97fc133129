import { afterEach, describe, expect, it } from 'vitest';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import { leaveNetworks } from '../../src/networks/leave-networks.ts';
import type { SyncDeps } from '../../src/sync/control/context.ts';
import { everything } from '../database/store-world.ts';
import { eraseContact } from '../helpers/erasing.ts';
import { overtakenAtRemoval } from './mirror-once.ts';
import { createNetworkWorld, type NetworkWorld, ON_JOB } from './network-world.ts';

let world: NetworkWorld;
afterEach(() => world.close());

/** Opens a network of six people, of whom the first is about to leave. */
async function openBoard() {
  world = await createNetworkWorld({ enhanced: 7 });
  world.setBoard(0, 6);
  await world.sync();
  const [crmId = ''] = world.people;
  const [donorId = ''] = await world.donorsOf([crmId]);
  return { crmId, donorId };
}

async function leave(crmId: string, change = (deps: SyncDeps) => deps) {
  const deps = change(world.deps());
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

  it('leaves it to the process that has overtaken it before it asked', async () => {
    const { crmId } = await openBoard();
    expect(await leave(crmId, overtakenAtRemoval(world))).toEqual({ left: [], pending: ['Board'] });
    expect((await world.networks())['Board']).toEqual(
      await world.donorsOf(world.people.slice(0, 6)),
    );
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

  it('lets who was being added leave with the next sync, although the others need a person', async () => {
    world = await createNetworkWorld({ enhanced: 7 });
    world.setBoard(0, 6);
    await world.putFaults([{ on: ON_JOB, fault: { kind: 'error' } }]);
    await world.sync().catch(() => undefined);
    const [crmId = ''] = world.people;
    const [donorId = ''] = await world.donorsOf([crmId]);
    const others = await world.donorsOf(world.people.slice(1, 6));
    expect(await leave(crmId)).toEqual({ left: [], pending: ['Board'] });
    await eraseContact(world.store, 'riverside', crmId);
    await world.putFaults([]);
    world.setBoard(6, 6);
    await world.sync();
    expect(await listOpenQuestions(world.store.reader)).toMatchObject([{ kind: 'group_shrunk' }]);
    await world.sync();
    expect((await world.networks())['Board']).toEqual(others);
    expect(await mirrorText()).not.toContain(donorId);
    expect(await world.networkSpent()).toBe(6);
  });

  it.each([
    ['more than half of it would leave with them', 'group_shrunk'],
    ['it cannot be read', 'group_unreadable'],
    ['its network was deleted at the service', 'network_deleted'],
    ['the settings do not have it any more', null],
  ] as const)('leaves no erased person in a group, also if %s', async (_, kind) => {
    const { crmId, donorId } = await openBoard();
    // Erases the contact in the database only, which leaves the same state as a restored backup.
    await eraseContact(world.store, 'riverside', crmId);
    if (kind === 'group_shrunk') world.setBoard(6, 6);
    if (kind === 'group_unreadable') world.crm.addGroup('board', world.people, 1);
    if (kind === 'network_deleted') {
      await world.byHand('DELETE', `/networks/${await world.networkId('Board')}`);
    }
    const networks = kind === null ? [] : world.integration.networks;
    await world.sync({ integration: { ...world.integration, networks } });
    const questions = (await listOpenQuestions(world.store.reader)).map((one) => one.kind);
    expect(questions).toEqual(kind === null ? [] : [kind]);
    expect((await world.networks())['Board'] ?? []).not.toContain(donorId);
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
