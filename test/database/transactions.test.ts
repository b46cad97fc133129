import { expect, it } from 'vitest';
import type { ActorTransaction } from '../../src/database/actor-transaction.ts';
import type { LeasedTransaction, RunTransaction } from '../../src/database/leases.ts';
import type { Reader } from '../../src/database/reader.ts';
import type { Database, Trx } from '../../src/database/tables/tables.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { INTEGRATION, START_MS, storeWorlds } from './store-world.ts';

const ofRun = (trx: RunTransaction) => trx;
const ofLeases = (trx: LeasedTransaction) => trx;
const ofActor = (trx: ActorTransaction) => trx;
const ofReader = (reader: Reader) => reader;

describeEachDatabase('transactions', (open) => {
  const createWorld = storeWorlds(open);

  it('of a run carry its lease and the time', async () => {
    const { store, lease, clock } = await createWorld();
    await clock.advance(5);
    const carried = await store.checkpoint(lease, async (trx) => ({
      lease: ofRun(trx).lease,
      now: trx.clock.now(),
    }));
    expect(carried).toEqual({ lease, now: START_MS + 5 });
  });

  it('of an actor carry who it is and the time', async () => {
    const { store } = await createWorld();
    const actor = { kind: 'command', name: 'ines', from: 'desk' } as const;
    const carried = await store
      .actingAs(actor)
      .act(async (trx) => ({ actor: ofActor(trx).actor, now: trx.clock.now() }));
    expect(carried).toEqual({ actor, now: START_MS });
  });

  it('undo what was written in them when they fail', async () => {
    const { db, store } = await createWorld();
    const failing = store.act(async (trx) => {
      await trx.insertInto('partner_keys').values({ id: 'other', spend_sequence: 0 }).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const keys = await db
      .selectFrom('partner_keys')
      .where('id', '=', 'other')
      .select('id')
      .execute();
    expect(keys).toEqual([]);
  });

  it('are readers, as the connection is', async () => {
    const { db, store, lease } = await createWorld();
    const count = async (reader: Reader) =>
      (await reader.selectFrom('integrations').select('id').execute()).map(({ id }) => id);
    expect(await count(store.reader)).toEqual([INTEGRATION]);
    expect(await count(db)).toEqual([INTEGRATION]);
    expect(await store.checkpoint(lease, count)).toEqual([INTEGRATION]);
    expect(await store.act(count)).toEqual([INTEGRATION]);
  });
});

/** This code never runs. The compiler must refuse each line. The build fails if the compiler accepts a line. */
export function refused(connection: Database, plain: Trx, reader: Reader): unknown[] {
  const actor = connection as unknown as ActorTransaction;
  const leased = connection as unknown as LeasedTransaction;
  const run = connection as unknown as RunTransaction;
  return [
    // @ts-expect-error: a connection is under no lease.
    ofRun(connection),
    // @ts-expect-error: a connection has no actor.
    ofActor(connection),
    // @ts-expect-error: no checkpoint has made this transaction.
    ofRun(plain),
    // @ts-expect-error: no actor has made this transaction.
    ofActor(plain),
    // @ts-expect-error: nor does what it carries make it one of a run.
    ofRun(Object.assign(plain, { clock: run.clock, lease: run.lease })),
    // @ts-expect-error: an actor has no lease.
    ofRun(actor),
    // @ts-expect-error: several leases are not the lease of one run.
    ofRun(leased),
    // @ts-expect-error: a run is not in a user's name.
    ofActor(run),
    // @ts-expect-error: a reader writes nothing.
    reader.updateTable('jobs'),
    // @ts-expect-error: nor is it a transaction.
    ofLeases(reader),
    ofLeases(run),
    ofReader(actor),
  ];
}
