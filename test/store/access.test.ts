import { expect, it } from 'vitest';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { START_MS, storeWorlds } from './store-world.ts';

const MINUTE_MS = 60_000;
const ANNA = { id: 't1', name: 'Anna', role: 'admin', hash: 'h1' } as const;
const MONITORING = { id: 't2', name: 'monitoring', role: 'viewer', hash: 'h2' } as const;

describeEachDatabase('access', (open) => {
  const createWorld = storeWorlds(open);

  it('notes the use of a token at most once a minute', async () => {
    const { store, clock } = await createWorld();
    await store.access.addToken(ANNA);
    async function use(): Promise<number | null | undefined> {
      const [token] = await store.access.listTokens();
      if (token) await store.access.noteUse(token);
      return (await store.access.listTokens())[0]?.lastUsedAt;
    }
    expect(await use()).toBe(START_MS);
    await clock.advance(MINUTE_MS - 1);
    expect(await use()).toBe(START_MS);
    await clock.advance(1);
    expect(await use()).toBe(START_MS + MINUTE_MS);
  });

  it('knows a session until it expires or is ended', async () => {
    const { store, clock } = await createWorld();
    await store.access.addToken(ANNA);
    await store.access.addSession('s1', 't1', START_MS + MINUTE_MS);
    await store.access.addSession('s2', 't1', START_MS + MINUTE_MS);
    expect(await store.access.findSession('s1')).toMatchObject(ANNA);
    await store.access.endSession('s1');
    expect(await store.access.findSession('s1')).toBeUndefined();
    await clock.advance(MINUTE_MS);
    expect(await store.access.findSession('s2')).toBeUndefined();
  });

  it('ends the sessions of a token with it, and leaves others alone', async () => {
    const { store } = await createWorld();
    await store.access.addToken(ANNA);
    await store.access.addToken(MONITORING);
    await store.access.addSession('s1', 't1', START_MS + MINUTE_MS);
    await store.access.addSession('s2', 't2', START_MS + MINUTE_MS);
    expect(await store.access.revokeToken('t1')).toBe(true);
    expect(await store.access.revokeToken('t1')).toBe(false);
    expect(await store.access.findSession('s1')).toBeUndefined();
    expect(await store.access.findSession('s2')).toMatchObject(MONITORING);
  });
});
