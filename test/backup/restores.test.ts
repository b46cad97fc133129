import { expect, it } from 'vitest';
import { confirmRestore, holdRestored } from '../../src/backup/restores.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createSyncWorld } from '../helpers/sync-world.ts';
import { leaveJobsRunning, strangers } from '../sync/worlds.ts';

const open = closedAfterTest(createSyncWorld);

it('holds clients, and nothing that only has the name of a lease', async () => {
  const { store } = await open();
  await store.leases.acquire('riverside', 'host/1/x', () => false);
  await store.leases.acquire('*alerts', 'host/1/x', () => false);
  const facts = { madeAt: 1, unknownAfter: null, isJournaled: true };
  expect(await store.act((trx) => holdRestored(trx, ['harbor'], facts))).toEqual([
    'harbor',
    'riverside',
  ]);
});

it('asks about a contact that has changed and waited for another decision, once that decision is made', async () => {
  const world = await open(strangers);
  const { store } = world;
  const [id = ''] = await world.addPeople(1);
  await leaveJobsRunning(world);
  world.crm.editContact(id, { addresses: ['7 Quarry Lane, Reno, NV 89501'] });
  await world.putFaults([]);
  await world.sync();
  // The backup contains this question. The database is restored without a journal.
  const [question] = await listOpenQuestions(store.reader);
  if (question === undefined) throw new Error('no question is open');
  const facts = { madeAt: Date.now(), unknownAfter: null, isJournaled: false };
  await store.act((trx) => holdRestored(trx, ['riverside'], facts));
  await store.act((trx) => confirmRestore(trx, 'riverside'));
  await world.sync({ full: true });
  const spent = await world.spent();
  expect(await listOpenQuestions(store.reader)).toMatchObject([{ kind: 'name_mismatch' }]);
  await recordDecision(store, question, 'approved');
  for (let night = 0; night < 2; night += 1) await world.sync({ full: true });
  expect(await world.spent()).toBe(spent);
  expect(await listOpenQuestions(store.reader)).toMatchObject([
    { crmId: id, kind: 'paid_since_backup' },
  ]);
});
