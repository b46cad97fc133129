import { expect, it } from 'vitest';
import {
  countAttempt,
  MAX_COUNTED,
  uncountAttempt,
} from '../../../src/people/statements/attempts.ts';
import { createStore } from '../../../src/store.ts';
import { START_MS, storeWorlds, testFingerprint } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const WINDOW_MS = 60_000;

describeEachDatabase('attempts to sign in', (open) => {
  const createWorld = storeWorlds(open);

  it('are counted for all processes of a database together, however many come at once', async () => {
    const { db, clock, store } = await createWorld();
    const other = createStore({ db, clock, fingerprint: testFingerprint });
    const counts = await Promise.all(
      [store, other, store, other].map(({ connection }) =>
        countAttempt(connection, 'anna', WINDOW_MS),
      ),
    );
    expect(counts.map(({ count }) => count).sort()).toEqual([1, 2, 3, 4]);
    await uncountAttempt(store.connection, 'anna');
    expect(await countAttempt(other.connection, 'anna', WINDOW_MS)).toEqual({
      ...{ count: 4, until: START_MS + WINDOW_MS },
    });
    expect(await countAttempt(store.connection, 'ben', WINDOW_MS)).toMatchObject({ count: 1 });
  });

  it('count anew when their time is over, or the clock was set back, and are kept no longer', async () => {
    const { db, clock, store } = await createWorld();
    await countAttempt(store.connection, 'anna', WINDOW_MS);
    await clock.advance(WINDOW_MS - 1);
    expect(await countAttempt(store.connection, 'anna', WINDOW_MS)).toMatchObject({ count: 2 });
    await clock.advance(1);
    expect(await countAttempt(store.connection, 'ben', WINDOW_MS)).toMatchObject({ count: 1 });
    const kept = await db.selectFrom('sign_in_attempts').select('key').execute();
    expect(kept).toEqual([{ key: 'ben' }]);
    await clock.advance(-86_400_000);
    expect(await countAttempt(store.connection, 'ben', WINDOW_MS)).toMatchObject({
      ...{ count: 1, until: clock.now() + WINDOW_MS },
    });
  });

  it('are taken back no further than to none', async () => {
    const { store } = await createWorld();
    await countAttempt(store.connection, 'anna', WINDOW_MS);
    for (let time = 0; time < 3; time += 1) await uncountAttempt(store.connection, 'anna');
    await uncountAttempt(store.connection, 'no one');
    expect(await countAttempt(store.connection, 'anna', WINDOW_MS)).toMatchObject({ count: 1 });
  });

  it('are bounded, and those whose time is over first make room', async () => {
    const { db, clock, store } = await createWorld();
    const keys = Array.from({ length: MAX_COUNTED }, (_, index) => `key ${index}`);
    for (let from = 0; from < keys.length; from += 1_000) {
      const page = keys.slice(from, from + 1_000);
      const until = clock.now() + WINDOW_MS + from;
      await db
        .insertInto('sign_in_attempts')
        .values(page.map((key) => ({ key, count: 5, until })))
        .execute();
    }
    await countAttempt(store.connection, 'anna', WINDOW_MS * 2);
    const { kept } = await db
      .selectFrom('sign_in_attempts')
      .select((eb) => eb.fn.countAll<number>().as('kept'))
      .executeTakeFirstOrThrow();
    expect(kept).toBe(MAX_COUNTED);
    expect(await countAttempt(store.connection, 'key 9999', WINDOW_MS * 2)).toMatchObject({
      count: 6,
    });
    expect(await countAttempt(store.connection, 'anna', WINDOW_MS * 2)).toMatchObject({ count: 2 });
  });
});
