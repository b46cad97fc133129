import { afterEach, describe, expect, it } from 'vitest';
import { listMissing } from '../../../src/contacts/many-at-once/missing.ts';
import { createSyncWorld, type SyncWorld } from '../../helpers/sync-world.ts';
import { openSite, type Site } from './site.ts';

const PEOPLE = 60;
const DONORS = 2_000;

/** Whole runs, from a site to the service and back. */
describe('a sync with CiviCRM', () => {
  const open: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it('brings profiles into the site, and finds nothing to do afterwards', async () => {
    const { site, world } = await start();
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'succeeded', contacts: { read: PEOPLE, waiting: 0 } });
    expect(report.contacts.written).toBeGreaterThan(40);
    const first = await site.record('1001');
    expect(first['Test.Donor_ID']).not.toBeNull();
    const spent = await world.spent();
    expect((await world.sync()).contacts).toMatchObject({ chosen: 0, written: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('removes nobody if the user may no longer see the contacts, and goes on when it may', async () => {
    const { site, world } = await start();
    expect((await world.sync()).status).toBe('succeeded');
    const spent = await world.spent();
    const ids = Array.from({ length: 40 }, (_, at) => String(1_001 + at));
    await site.hide(ids);
    const hidden = await world.sync();
    expect(hidden.reason?.code ?? hidden.status).toBe('contacts_missing');
    const missing: string[] = [];
    for await (const some of listMissing(world.store.reader, 'riverside', { removedSince: 0 })) {
      missing.push(...some);
    }
    expect(new Set(missing)).toEqual(new Set(ids));
    await site.hide(ids, 'visible');
    expect((await world.sync()).contacts).toMatchObject({ chosen: 0, written: 0 });
    expect(await world.spent()).toBe(spent);
  });

  async function start(): Promise<{ site: Site; world: SyncWorld }> {
    const site = await openSite({ contacts: PEOPLE, donors: DONORS });
    open.push(site);
    await site.addField('Donor_ID');
    await site.addField('Worth');
    const world = await createSyncWorld({
      service: { donors: DONORS },
      integration: {
        fields: [
          { from: 'donorId', to: 'Test.Donor_ID' },
          { from: 'netWorth.label', to: 'Test.Worth' },
        ],
      },
      open: (signal) => site.open({ signal }),
    });
    open.push(world);
    return { site, world };
  }
});
