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
    // The log of erasures is written first, and the audit later. On a busy machine it can be much later.
    const logged = Date.now();
    await moment();
    await world.store.act((trx) => recordEntry(trx, erased));
    const at = Date.now();
    await moment();
    await world.addPeople(2);
    await world.sync();
    const paid = await count();
    expect(paid).toBeGreaterThan(0);
    // The log is repeated with the audit entry, and then without it.
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

describe('a contact whose person became known after its erasure', () => {
  const NAMES_ONLY = { name: '', addresses: [], employers: [], names: ['a name'] };
  const PERSON = { ...NAMES_ONLY, name: 'the person', addresses: ['an address'] };

  it('is erased under all logged forms of its ID, and its block gets the person', async () => {
    const world = await open();
    const [id = '', other = ''] = await world.addPeople(2);
    await world.sync();
    const { fingerprint } = world.store;
    const entry = {
      ...{ what: 'erased' as const, integration: INTEGRATION, everywhere: false, donors: [] },
      ...{ contact: fingerprint('forgotten', id) },
    };
    const first = { ...entry, at: 1, forms: [fingerprint('forgotten', other)], person: NAMES_ONLY };
    // The restored database has the block as it was first recorded.
    await eraseAgain(world.store, [{ ...first, forms: [] }], null);
    await eraseAgain(world.store, [first, { ...entry, at: 2, forms: [], person: PERSON }], null);
    const { db } = world.database;
    const blocks = await db.selectFrom('forgotten').select('person').execute();
    expect(blocks.map(({ person }) => JSON.parse(person ?? ''))).toEqual([PERSON]);
    expect(await db.selectFrom('contacts').select('crm_id').execute()).toEqual([]);
    // A later, poorer record does not replace it.
    await eraseAgain(world.store, [first], null);
    const [block] = await db.selectFrom('forgotten').select('person').execute();
    expect(JSON.parse(block?.person ?? '')).toEqual(PERSON);
  });
});

async function openWithClient() {
  const world = await open();
  return {
    world,
    /** Repeats the client's erasure. The log contains an erasure at this time. */
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

/** Waits a moment, so the clock moves forward. */
function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
