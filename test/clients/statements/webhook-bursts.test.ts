import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { saveHook } from '../../../src/clients/statements/hooks.ts';
import type { Trigger } from '../../../src/core/run.ts';
import { listRereads, planReread, requestReread } from '../../../src/jobs/statements/rereads.ts';
import { createStore, type Store } from '../../../src/store.ts';
import {
  listReadyRequests,
  requestContacts,
  requestRun,
} from '../../../src/sync/statements/run-requests.ts';
import { recordRunBegin } from '../../../src/sync/statements/runs.ts';
import {
  INTEGRATION,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
  testFingerprint,
} from '../../database/store-world.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const SIGNING = { signature: null, secret: null };

describeEachDatabase('a burst of webhooks', (open, kind) => {
  const createWorld = storeWorlds(open);

  /** Creates a store with a webhook. A second process also receives calls of the webhook. */
  async function createBurst() {
    const world = await createWorld();
    for (const integrationId of [INTEGRATION, 'hillside']) {
      await world.store.act((trx) =>
        saveHook(trx, { integrationId, tokenHash: integrationId, ...SIGNING }),
      );
    }
    return world;
  }

  it('lets its first call begin at once and combines the rest, at whichever host it comes in', async () => {
    const world = await createBurst();
    // The clocks of two hosts differ. A SQLite file is used by only one host.
    const other = otherHost(world, kind === 'postgres' ? 120_000 : 0);
    await call(world.store, 'a');
    expect(await ready(other)).toEqual(['a']);
    await begin(world, 'a');
    await pass(world, 10);
    await call(other, 'b');
    expect([await ready(world.store), await ready(other)]).toEqual([[], []]);
    expect(await call(world.store, 'c')).toBe('b');
    await pass(world, 14_000);
    expect(await ready(other)).toEqual([]);
    await pass(world, 1_000);
    expect([await ready(world.store), await ready(other)]).toEqual([['b'], ['b']]);
  });

  it('lets everything begin that has waited, one run after another', async () => {
    const world = await createBurst();
    await call(world.store, 'a');
    await begin(world, 'a');
    await pass(world, 10);
    await world.store.act((trx) => requestContacts(trx, INTEGRATION, ['1', '2'], ids('b', 'c')));
    await pass(world, 15_000);
    await begin(world, 'b');
    expect(await ready(world.store)).toEqual(['c']);
    await pass(world, 5);
    await world.store.act((trx) => requestContacts(trx, INTEGRATION, ['3'], ids('d')));
    await pass(world, 10);
    await world.store.act((trx) => requestContacts(trx, INTEGRATION, ['4'], ids('e')));
    // The call for contact 3 came after a pause. The call for contact 4 came before the pause had ended.
    expect(await ready(world.store)).toEqual(['c', 'd', 'e']);
    await begin(world, 'd');
    await world.store.act((trx) => requestContacts(trx, INTEGRATION, ['5'], ids('f')));
    expect(await ready(world.store)).toEqual(['c', 'e']);
  });

  it('lets the first call of a quiet integration begin at once, however short ago a run began', async () => {
    const world = await createBurst();
    await call(world.store, 'a');
    await begin(world, 'a');
    await pass(world, 1_000);
    await call(world.store, 'b');
    await pass(world, 14_100);
    expect(await ready(world.store)).toEqual(['b']);
    await begin(world, 'b');
    // No call has arrived for 15 seconds, and the run for the last call has just started.
    await pass(world, 1_000);
    await call(world.store, 'c');
    expect(await ready(world.store)).toEqual(['c']);
    await begin(world, 'c');
    await pass(world, 1_000);
    await call(world.store, 'd');
    expect(await ready(world.store)).toEqual([]);
  });

  it('goes on after the clock was set back', async () => {
    const world = await createBurst();
    await call(world.store, 'a');
    await begin(world, 'a');
    await call(world.store, 'b');
    await pass(world, -86_400_000);
    expect(await ready(world.store)).toEqual(['b']);
    await begin(world, 'b');
    await call(world.store, 'c');
    expect(await ready(world.store)).toEqual(['c']);
    await begin(world, 'c');
    await call(world.store, 'd');
    expect(await ready(world.store)).toEqual([]);
  });

  it('delays no other request: of other integrations, people, schedules', async () => {
    const world = await createBurst();
    await call(world.store, 'a');
    await begin(world, 'a');
    await call(world.store, 'b');
    await call(world.store, 'other', { integrationId: 'hillside' });
    expect(await ready(world.store)).toEqual(['other']);
    for (const trigger of ['manual', 'schedule'] as const) {
      await call(world.store, trigger, { trigger, contact: trigger });
    }
    expect(await ready(world.store)).toEqual(['manual', 'other', 'schedule']);
    // The user requests a run that is already waiting, so the run starts immediately.
    expect(await call(world.store, 'now', { trigger: 'manual' })).toBe('b');
    expect(await ready(world.store)).toContain('b');
  });

  it('is read again no sooner than its next run', async () => {
    const world = await createBurst();
    await call(world.store, 'a');
    await begin(world, 'a');
    await planReread(world.store.connection, INTEGRATION);
    const [row] = await listRereads(world.store.reader);
    if (!row) throw new Error('nothing is to be read again');
    await world.store.act((trx) => requestReread(trx, row, { runId: 'b', isLast: true }));
    expect(await ready(world.store)).toEqual([]);
    await pass(world, 15_001);
    expect(await ready(world.store)).toEqual(['b']);
  });
});

/**
 * Returns the store of another process with the same database. The clock of the other process is ahead by `aheadMs`.
 */
function otherHost({ db }: StoreWorld, aheadMs: number): Store {
  const clock = createFakeClock(START_MS + aheadMs);
  return createStore({ db, clock, fingerprint: testFingerprint });
}

/** Moves recorded events into the past, so that time seems to have passed for both kinds of databases. */
async function pass({ db }: StoreWorld, ms: number): Promise<void> {
  await sql`update hooks set called_at = called_at - ${ms}, opens_at = opens_at - ${ms}`.execute(
    db,
  );
  await sql`update run_requests set not_before = not_before - ${ms}`.execute(db);
}

function call(
  store: Store,
  runId: string,
  other: { trigger?: Trigger; integrationId?: string; contact?: string } = {},
): Promise<string> {
  const request = { integrationId: INTEGRATION, contact: null, trigger: 'webhook' } as const;
  return store.act((trx) => requestRun(trx, { ...request, full: false, runId, ...other }));
}

async function ready({ reader }: Store): Promise<string[]> {
  return (await listReadyRequests(reader)).map(({ runId }) => runId);
}

async function begin({ store }: Pick<StoreWorld, 'store'>, runId: string): Promise<void> {
  const lease = await takeLease(store, INTEGRATION);
  await store.checkpoint(lease, (trx) => recordRunBegin(trx, runId, 'webhook', null));
}

function ids(...names: string[]): () => string {
  const left = [...names];
  return () => left.shift() ?? 'none';
}
