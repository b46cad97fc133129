import { describe, expect, it } from 'vitest';
import { findIntegrationState } from '../../src/clients/statements/integrations.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createSyncWorld, WITHOUT_TRIAL } from '../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);

describe('a run with a limit', () => {
  it('spends no more than that, says so, and leaves the watermark for the next run', async () => {
    const world = await open();
    await world.addPeople(60);
    const limited = await world.sync({ limit: 7 });
    expect(limited).toMatchObject({ status: 'incomplete', reason: { code: 'budget_reached' } });
    expect(limited.reason?.message).toContain('--limit 7');
    expect(await world.spent()).toBe(7);
    expect((await findIntegrationState(world.store.reader, 'riverside')).cursor).toBe(null);
    const rest = await world.sync();
    expect(rest).toMatchObject({ status: 'succeeded', contacts: { read: 60 } });
    const { cursor } = await findIntegrationState(world.store.reader, 'riverside');
    expect(cursor).not.toBe(null);
    const [id = ''] = await world.addPeople(1);
    world.crm.editContact(id, { firstName: 'Zebulon' });
    await world.sync({ limit: 5, full: true });
    expect((await findIntegrationState(world.store.reader, 'riverside')).cursor).toBe(cursor);
  });

  it('succeeds if no contact is left', async () => {
    const world = await open();
    await world.addPeople(6);
    expect(await world.sync({ limit: 6 })).toMatchObject({ status: 'succeeded', reason: null });
    expect(await world.spent()).toBe(6);
  });

  it('spends no more in all if answers are lost on the way', async () => {
    const onSubmit = { method: 'POST', path: '/enhancements' };
    for (const onLostAnswer of ['hold', 'resubmit']) {
      const world = await open({ integration: { onLostAnswer, ...WITHOUT_TRIAL } });
      await world.addPeople(40);
      await world.putFaults([{ on: onSubmit, times: 1, fault: { kind: 'resetAfter' } }]);
      const report = await world.sync({ limit: 20 });
      expect(report.reason?.code).toBe('budget_reached');
      expect(await world.spent()).toBe(20);
    }
  });
});
