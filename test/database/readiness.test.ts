import { expect, it } from 'vitest';
import { migrateToLatest } from '../../src/database/migrate.ts';
import { findDatabaseProblem } from '../../src/database/readiness.ts';
import type { Database } from '../../src/database/tables/tables.ts';
import { createStore } from '../../src/store.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { testFingerprint } from './store-world.ts';

const NOW_MS = 1_800_000_000_000;

function findProblem(db: Database): Promise<string | null> {
  const clock = createFakeClock(NOW_MS);
  const { connection, requireInPlace } = createStore({ db, clock, fingerprint: testFingerprint });
  return findDatabaseProblem(connection, requireInPlace);
}

describeEachDatabase('readiness', (open) => {
  it('names the steps that the schema lacks', async () => {
    const { db } = await open();
    const problem = await findProblem(db);
    expect(problem).toContain('the schema lacks 0001-ground');
  });

  it('finds nothing wrong with a database that can be written, and tidies it by that', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    const token = { id: 't1', name: 'Anna', role: 'admin', hash: 'h1' } as const;
    const times = { created_at: NOW_MS, last_used_at: null };
    await db
      .insertInto('access_tokens')
      .values({ ...token, ...times })
      .execute();
    const moments = { begun_at: NOW_MS, seen_at: NOW_MS };
    const session = { id: 'a', token_id: 't1', ...moments, expires_at: NOW_MS - 1 };
    await db
      .insertInto('browser_sessions')
      .values({ ...session, hash: 'over' })
      .execute();
    const lasting = { ...session, id: 'b', expires_at: NOW_MS + 1 };
    await db
      .insertInto('browser_sessions')
      .values({ ...lasting, hash: 'lasting' })
      .execute();
    expect(await findProblem(db)).toBeNull();
    const left = await db.selectFrom('browser_sessions').select('hash').execute();
    expect(left).toEqual([{ hash: 'lasting' }]);
  });
});
