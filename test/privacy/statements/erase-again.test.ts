import { describe, expect, it } from 'vitest';
import { purgeAudit } from '../../../src/privacy/audit/purge-audit.ts';
import { recordEntry } from '../../../src/privacy/audit/record.ts';
import { eraseAgain } from '../../../src/privacy/statements/erase-again.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createSyncWorld } from '../../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);
const INTEGRATION = 'riverside';

describe('a client in a database whose backup has no known time', () => {
  it('stays if it left and was added again, even if the audit no longer has its erasure', async () => {
    const { world, repeat, count } = await openWithClient();
    const erased = { action: 'integration.erased', integrationId: INTEGRATION } as const;
    // The log of erasures is written first, and the audit later, on a busy machine much later.
    const logged = Date.now();
    await moment();
    await world.store.act((trx) => recordEntry(trx, erased));
    const at = Date.now();
    await moment();
    await world.addPeople(2);
    await world.sync();
    const paid = await count();
    expect(paid).toBeGreaterThan(0);
    // With the entry, and without it.
    expect(await repeat(logged)).toEqual([]);
    await moment();
    await world.store.act((trx) => purgeAudit(trx, at + 2));
    expect(await repeat(at)).toEqual([]);
    expect(await count()).toBe(paid);
  });

  it('is erased again if its runs are older than the erasure, although the audit begins later', async () => {
    const { world, repeat, count } = await openWithClient();
    await world.addPeople(2);
    await world.sync();
    await moment();
    const at = Date.now();
    await moment();
    await world.store.act((trx) => purgeAudit(trx, Date.now()));
    expect(await repeat(at)).toEqual([INTEGRATION]);
    expect(await count()).toBe(0);
  });

  it('is erased again if the audit reaches back and does not know of the erasure', async () => {
    const { world, repeat, count } = await openWithClient();
    await world.addPeople(2);
    await world.sync();
    await moment();
    expect(await repeat(Date.now())).toEqual([INTEGRATION]);
    expect(await count()).toBe(0);
  });
});

async function openWithClient() {
  const world = await open();
  return {
    world,
    /** Repeats the erasure of the client that is logged at this time. */
    async repeat(at: number) {
      const entry = {
        ...{ what: 'left' as const, at, integration: INTEGRATION, contact: '', forms: [] },
        ...{ person: null, everywhere: false, donors: [] },
      };
      return (await eraseAgain(world.store, [entry], null)).integrations;
    },
    async count() {
      const { db } = world.database;
      return (await db.selectFrom('contacts').select('crm_id').execute()).length;
    },
  };
}

/** Lets the clock advance. */
function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
