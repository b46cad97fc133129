import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectorSecrets } from '../../src/clients/connector-secrets.ts';
import { systemClock } from '../../src/core/clock.ts';
import { findKeyBalance, recordKeyBalance } from '../../src/credits/statements/balances.ts';
import { type OpenDatabase, openDatabase } from '../../src/database/database.ts';
import type { Lease } from '../../src/database/leases.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import type { Tables } from '../../src/database/tables/tables.ts';
import { createStore, type Store } from '../../src/store.ts';
import { findRunById, recordRunBegin } from '../../src/sync/statements/runs.ts';
import { type PostgresProxy, startPostgresProxy } from '../helpers/postgres-proxy.ts';
import { freshPostgresUrl } from '../helpers/test-databases.ts';
import { INTEGRATION, KEY, RUN, takeLease, testFingerprint } from './store-world.ts';

let proxy: PostgresProxy;
/** One connection through the proxy, and a second connection that bypasses the proxy. */
let database: OpenDatabase<Tables>;
let beside: OpenDatabase<Tables>;
let store: Store;
let lease: Lease;

beforeEach(async () => {
  const target = await freshPostgresUrl();
  proxy = await startPostgresProxy(target);
  database = await openDatabase<Tables>(proxy.url);
  beside = await openDatabase<Tables>(target);
  await migrateToLatest(beside.db);
  store = createStore({ db: database.db, clock: systemClock, fingerprint: testFingerprint });
  lease = await takeLease(store, INTEGRATION);
  await store.checkpoint(lease, (trx) => recordRunBegin(trx, RUN, 'manual', null));
});

afterEach(async () => {
  await database.close();
  await beside.close();
  await proxy.close();
});

/** Increases a counter in a transaction. The test can then see how often the transaction was executed. */
function countOne(of: Store = store): Promise<string> {
  return of.leases.checkpoint(lease, async (trx) => {
    await trx
      .updateTable('runs')
      .set((eb) => ({ read_count: eb('read_count', '+', 1) }))
      .where('id', '=', RUN)
      .execute();
    return 'counted';
  });
}

async function counted(): Promise<number | undefined> {
  const row = await beside.db.selectFrom('runs').select('read_count').executeTakeFirst();
  return row?.read_count;
}

describe('while Postgres is away for a moment', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['a question', () => findRunById(store.reader, RUN)],
    ['a change', () => countOne()],
    ['the release of a lease', () => store.leases.release(lease)],
    ['the taking of a lease', () => store.leases.acquire('lakeside', 'anna', () => false)],
    ['the reading of a balance', () => recordKeyBalance(store.connection, KEY, 0, 10)],
    [
      'a token',
      () => connectorSecrets({ store, sealer: UNSEALED }, 'lakeside').write('token', 'text'),
    ],
  ])('%s waits for it', async (_, ask) => {
    proxy.goAway(1_500);
    const begunAt = performance.now();
    await ask();
    expect(performance.now() - begunAt).toBeGreaterThan(1_000);
  });

  it('ten questions that were under way are asked again, and do not wait for each other', async () => {
    const asked = Array.from({ length: 10 }, () => findRunById(store.reader, RUN));
    proxy.goAway(500);
    for (const row of await Promise.all(asked)) expect(row?.id).toBe(RUN);
  });
});

describe('a question whose connection is lost', () => {
  it.each(['before', 'after'] as const)('is asked again (%s it was answered)', async (moment) => {
    proxy.cut({ at: 'select', moment, awayMs: 300 });
    expect((await findRunById(store.reader, RUN))?.id).toBe(RUN);
    expect(proxy.cuts()).toBe(1);
  });
});

describe('a change whose connection is lost', () => {
  it.each([
    { at: 'begin', moment: 'before' },
    { at: 'begin', moment: 'after' },
    { at: 'update "runs"', moment: 'before' },
    { at: 'update "runs"', moment: 'after' },
    { at: 'commit', moment: 'before' },
    { at: 'commit', moment: 'after' },
  ] as const)('is made once ($moment $at)', async (where) => {
    proxy.cut({ ...where, awayMs: 300 });
    expect(await countOne()).toBe('counted');
    expect(proxy.cuts()).toBe(1);
    expect(await counted()).toBe(1);
  });

  it('takes a lease once, and knows it', async () => {
    proxy.cut({ at: 'commit', moment: 'after', within: 'run_epoch', awayMs: 300 });
    const taken = await store.leases.acquire('lakeside', 'anna', () => false);
    expect(taken).toEqual({ acquired: true, lease: { integrationId: 'lakeside', epoch: 1 } });
    expect(proxy.cuts()).toBe(1);
  });

  it('notes a balance, although it cannot tell at first whether it has', async () => {
    proxy.cut({ at: 'commit', moment: 'after', within: 'partner_keys', awayMs: 300 });
    expect(await recordKeyBalance(store.connection, KEY, 0, 10)).toBe(true);
    expect(await findKeyBalance(store.reader, KEY)).toMatchObject({ balance: 10 });
  });

  it('is not made by one whose lease was taken over meanwhile', async () => {
    const others = createStore({
      db: beside.db,
      clock: systemClock,
      fingerprint: testFingerprint,
    });
    proxy.cut({ at: 'commit', moment: 'before', awayMs: 1_000 });
    const late = countOne();
    late.catch(() => undefined);
    await expect.poll(() => proxy.cuts()).toBe(1);
    await takeLease(others, INTEGRATION);
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await counted()).toBe(0);
  });

  it('fails at once for a reason of its own', async () => {
    const failing = store.leases.checkpoint(lease, async () => {
      throw new Error('the work failed');
    });
    await expect(failing).rejects.toThrow('the work failed');
  });
});

const UNSEALED = { seal: (text: string) => text, open: (text: string) => text };
