import { describe, expect, it } from 'vitest';
import { memoryDefaultFields } from '../../../connectors/memory/connector.ts';
import { recordAcceptedSubmission } from '../../../src/credits/statements/answers.ts';
import { findOpenSubmission } from '../../../src/credits/statements/submissions.ts';
import { runSync } from '../../../src/sync/run.ts';
import { open } from '../worlds.ts';
import { intendWithoutSending } from './lost-responses-world.ts';

describe('a lost response', () => {
  it('of another integration of the same key is settled too, since the balance belongs to the key', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    await world.sync();
    await intendWithoutSending(world, ids[0] ?? '');
    const partner = { ...world.integration.partner, shareProfiles: false };
    const other = { ...world.integration, id: 'lakeside', partner };
    const report = await world.sync({ integration: other });
    expect(report).toMatchObject({ status: 'succeeded', contacts: { submitted: 5 } });
    expect((await world.sync()).contacts.submitted).toBe(1);
  });

  it('is left alone if its own run has ended it while the lease was on its way', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    await world.sync();
    await intendWithoutSending(world, ids[0] ?? '');
    const { store, integration } = world;
    const partner = { ...integration.partner, shareProfiles: false };
    const other = { ...integration, id: 'lakeside', partner };
    const { takeLease, ...deps } = world.deps(undefined, other);
    const slowly = async (id: string) => {
      if (id === integration.id && (await findOpenSubmission(store.reader, key)) !== undefined) {
        const own = await takeLease(id);
        if (!own.acquired) throw new Error('The lease is taken');
        const answer = { jobIds: new Map([['killed-1', 'job']]), charged: 1 };
        await store.checkpoint(own.lease, (trx) => recordAcceptedSubmission(trx, 'killed', answer));
        await store.leases.release(own.lease);
      }
      return takeLease(id);
    };
    const key = store.fingerprint('partner_key', integration.partner.apiKey);
    const report = await runSync(
      { ...deps, takeLease: slowly },
      {
        ...{ integration: other, mappings: memoryDefaultFields, partnerKey: key, only: null },
        ...{ trigger: 'manual', full: false, signal: new AbortController().signal },
      },
      { calls: () => ({ partner: 0, crm: 0, throttled: 0 }) },
    );
    expect(report).toMatchObject({ status: 'succeeded', reason: null });
    expect(report.contacts).toMatchObject({ submitted: 5 });
  });
});
