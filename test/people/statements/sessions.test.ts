import { expect, it } from 'vitest';
import { addAccessToken, revokeAccessToken } from '../../../src/people/statements/access.ts';
import {
  addSession,
  endSession,
  endSessions,
  IDLE_MS,
  listSessions,
  resumeSession,
  SESSION_MS,
} from '../../../src/people/statements/sessions.ts';
import { storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const ANNA = { id: 't1', name: 'Anna', role: 'admin', hash: 'h1' } as const;
const MONITORING = { id: 't2', name: 'monitoring', role: 'viewer', hash: 'h2' } as const;
const OF_ANNA = { tokenId: 't1' };

describeEachDatabase('sessions', (open) => {
  const createWorld = storeWorlds(open);

  async function createUsers() {
    const world = await createWorld();
    await world.store.act((trx) => addAccessToken(trx, ANNA));
    await world.store.act((trx) => addAccessToken(trx, MONITORING));
    return world;
  }

  it('are accepted until they are ended', async () => {
    const { store } = await createUsers();
    await store.act((trx) =>
      addSession(trx, { hash: 's1', id: 'a', browser: 'Firefox on Linux' }, OF_ANNA),
    );
    await store.act((trx) =>
      addSession(trx, { hash: 's2', id: 'b', browser: null }, { tokenId: 't2' }),
    );
    const found = await resumeSession(store.connection, 's1');
    expect(found).toMatchObject({ id: 'a', owner: { token: { ...ANNA, integrations: null } } });
    await endSession(store.connection, 's1');
    expect(await resumeSession(store.connection, 's1')).toBeNull();
    expect(await resumeSession(store.connection, 's2')).toMatchObject({
      owner: { token: MONITORING },
    });
  });

  it('end after eight hours without a request, and after a day in any case', async () => {
    const { store, clock } = await createUsers();
    await store.act((trx) => addSession(trx, { hash: 'idle', id: 'a', browser: null }, OF_ANNA));
    await store.act((trx) => addSession(trx, { hash: 'busy', id: 'b', browser: null }, OF_ANNA));
    for (let hours = 7; hours < 24; hours += 7) {
      await clock.advance(IDLE_MS - 3_600_000);
      expect(await resumeSession(store.connection, 'busy')).not.toBeNull();
    }
    expect(await resumeSession(store.connection, 'idle')).toBeNull();
    await clock.advance(SESSION_MS - 21 * 3_600_000);
    expect(await resumeSession(store.connection, 'busy')).toBeNull();
  });

  it('end when their token is revoked, and other sessions continue', async () => {
    const { store } = await createUsers();
    await store.act((trx) => addSession(trx, { hash: 's1', id: 'a', browser: null }, OF_ANNA));
    await store.act((trx) =>
      addSession(trx, { hash: 's2', id: 'b', browser: null }, { tokenId: 't2' }),
    );
    expect(await store.act((trx) => revokeAccessToken(trx, 't1'))).toBe(true);
    expect(await store.act((trx) => revokeAccessToken(trx, 't1'))).toBe(false);
    expect(await resumeSession(store.connection, 's1')).toBeNull();
    expect(await resumeSession(store.connection, 's2')).not.toBeNull();
  });

  it('are listed and ended by their owner alone', async () => {
    const { store } = await createUsers();
    await store.act((trx) =>
      addSession(trx, { hash: 's1', id: 'a', browser: 'Chrome on macOS' }, OF_ANNA),
    );
    await store.act((trx) => addSession(trx, { hash: 's2', id: 'b', browser: null }, OF_ANNA));
    await store.act((trx) =>
      addSession(trx, { hash: 's3', id: 'c', browser: null }, { tokenId: 't2' }),
    );
    const listed = await listSessions(store.reader, OF_ANNA);
    expect(listed.map(({ id, browser }) => [id, browser])).toEqual([
      ['a', 'Chrome on macOS'],
      ['b', null],
    ]);
    expect(await store.act((trx) => endSessions(trx, OF_ANNA, { id: 'c' }))).toBe(0);
    expect(await store.act((trx) => endSessions(trx, OF_ANNA, { keep: 'b' }))).toBe(1);
    expect(await resumeSession(store.connection, 's1')).toBeNull();
    expect(await resumeSession(store.connection, 's2')).not.toBeNull();
    expect(await resumeSession(store.connection, 's3')).not.toBeNull();
  });
});
