import { describe, expect, it } from 'vitest';
import { findContacts } from '../../src/contacts/contacts.ts';
import { listBatches, recordBatchDecision } from '../../src/decisions/statements/batches.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createSyncWorld, type SyncWorld, WITHOUT_TRIAL } from '../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);

/** Creates contacts and submits each of them for a separate credit. */
async function openEnhanced(count: number): Promise<{ world: SyncWorld; ids: string[] }> {
  // The service does not know the invented people of this test. A trial would notice the low match rate, so the test
  // switches the trial off.
  const world = await open({ integration: WITHOUT_TRIAL });
  const ids = Array.from({ length: count }, (_, index) =>
    world.crm.addContact({
      ...{ firstName: `First${index}`, lastName: `Last${index}` },
      addresses: [addressOf(index, 'Old Mill Road')],
    }),
  );
  await world.sync();
  expect(await world.spent()).toBe(count);
  return { world, ids };
}

function addressOf(index: number, street: string): string {
  return `${index + 1} ${street}, Reno, NV 89501`;
}

function move(world: SyncWorld, ids: readonly string[], street: string): void {
  for (const [index, id] of ids.entries()) {
    world.crm.editContact(id, { addresses: [addressOf(index, street)] });
  }
}

async function onlyBatch({ store }: SyncWorld) {
  const [batch, ...others] = await listBatches(store.reader);
  if (!batch || others.length > 0) throw new Error('there is not one batch');
  return batch;
}

describe('the guard against a mass change', () => {
  it('is not walked past by runs for one contact each, as webhooks ask for them', async () => {
    const { world, ids } = await openEnhanced(60);
    for (const [index, id] of ids.entries()) {
      world.crm.editContact(id, { addresses: [addressOf(index, 'Quarry Lane')] });
      const report = await world.sync({ only: id, trigger: 'webhook' });
      expect(report.status).toBe('succeeded');
    }
    // The default limit: at least 25, and more than a tenth of the known contacts.
    expect(await world.spent()).toBe(60 + 24);
    expect(await onlyBatch(world)).toMatchObject({ count: 36, parts: { addresses: 36 } });
    await world.sync();
    expect(await world.spent()).toBe(60 + 24);
  });

  it('is not walked past by runs for as many contacts as a webhook names', async () => {
    const { world, ids } = await openEnhanced(60);
    for (let start = 0; start < 60; start += 12) {
      const named = ids.slice(start, start + 12);
      move(world, named, 'Quarry Lane');
      const report = await world.sync({ only: named, trigger: 'webhook' });
      expect(report.contacts.read).toBe(12);
    }
    expect(await world.spent()).toBe(60 + 24);
    expect((await onlyBatch(world)).count).toBe(36);
  });

  it('goes by the share where more contacts are known, in runs for all as in runs for one', async () => {
    const { world, ids } = await openEnhanced(400);
    // A few contacts change every night. A change of more than a tenth within seven days exceeds the limit.
    for (let start = 0; start < 60; start += 12) {
      move(world, ids.slice(start, start + 12), `Quarry Lane ${start}`);
      await world.sync();
    }
    expect(await world.spent()).toBe(400 + 36);
    expect((await onlyBatch(world)).count).toBe(24);
  });

  it('asks nothing about details that were paid for, and are there again after others were rejected', async () => {
    const { world, ids } = await openEnhanced(60);
    move(world, ids, 'Quarry Lane');
    await world.sync();
    await recordBatchDecision(world.store.act, (await onlyBatch(world)).id, 'rejected');
    move(world, ids, 'Old Mill Road');
    expect((await world.sync()).contacts).toMatchObject({ chosen: 0, held: 0 });
    expect(await listBatches(world.store.reader)).toEqual([]);
    expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
    expect(await world.spent()).toBe(60);
  });

  it('pays for no details that a lost answer was charged for, and that are there again after others were rejected', async () => {
    const guards = { ...WITHOUT_TRIAL.guards, massChange: { share: 0, atLeast: 1 } };
    const world = await open({ integration: { guards } });
    const [id = ''] = await world.addPeople(1);
    const { addresses = [] } = world.crm.records.get(id)?.contact ?? {};
    const on = { method: 'POST', path: '/enhancements' };
    await world.putFaults([{ on, times: 1, fault: { kind: 'resetAfter' } }]);
    expect((await world.sync()).contacts.held).toBe(1);
    move(world, [id], 'Quarry Lane');
    await world.sync();
    await recordBatchDecision(world.store.act, (await onlyBatch(world)).id, 'rejected');
    world.crm.editContact(id, { addresses });
    await world.sync();
    await world.sync({ full: true });
    expect(await world.spent()).toBe(1);
    const rows = await findContacts(world.store.reader, 'riverside', [id]);
    expect(rows.get(id)?.state).toBe('settled');
  });

  it('asks again about details that change once more after they were rejected', async () => {
    const { world, ids } = await openEnhanced(40);
    move(world, ids, 'Quarry Lane');
    await world.sync();
    const { id } = await onlyBatch(world);
    await recordBatchDecision(world.store.act, id, 'rejected');
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, unchanged: 40 });
    move(world, ids.slice(0, 3), 'Gravel Road');
    await world.sync();
    expect(await world.spent()).toBe(43);
  });
});
