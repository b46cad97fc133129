import { expect, it } from 'vitest';
import {
  addAccessToken,
  listAccessTokens,
  recordTokenUse,
} from '../../../src/people/statements/access.ts';
import { START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const MINUTE_MS = 60_000;
const ANNA = { id: 't1', name: 'Anna', role: 'admin', hash: 'h1' } as const;

describeEachDatabase('access', (open) => {
  const createWorld = storeWorlds(open);

  it('notes the use of a token at most once a minute', async () => {
    const { store, clock } = await createWorld();
    await store.act((trx) => addAccessToken(trx, ANNA));
    async function use(): Promise<number | null | undefined> {
      const [token] = await listAccessTokens(store.reader);
      if (token) await recordTokenUse(store.connection, token);
      return (await listAccessTokens(store.reader))[0]?.lastUsedAt;
    }
    expect(await use()).toBe(START_MS);
    await clock.advance(MINUTE_MS - 1);
    expect(await use()).toBe(START_MS);
    await clock.advance(1);
    expect(await use()).toBe(START_MS + MINUTE_MS);
  });
});
