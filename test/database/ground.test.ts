import { hash } from 'node:crypto';
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { describe, expect, it } from 'vitest';
import * as ground from '../../migrations/0001-ground.ts';
import { findGround } from '../../src/database/ground.ts';
import { migrateToLatest, pendingMigrations } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/tables/tables.ts';
import { otherGround, version010 } from '../helpers/other-grounds.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';

describe('the hash of the ground', () => {
  it('is that of its statements', async () => {
    // If the hash differs, a developer edited the first migration or Kysely generates different SQL. Write the new hash
    // into migrations/0001-ground.ts.
    expect(ground.hash).toBe(await hashStatements());
  });
});

describeEachDatabase('a database on another ground', (open) => {
  it.each([
    ['of 0.1.0', version010, { code: 'database_too_old', message: /0\.1\.0.*new database/ }],
    [
      'of another pre-release',
      otherGround,
      { code: 'database_other_ground', message: /another pre-release.*0f0f0f.*new database/ },
    ],
  ])(
    '%s is refused before anything is written, with what to do',
    async (_, make, { code, message }) => {
      const { db } = await open();
      await make(db);
      const before = await contentsOf(db);
      const refusal = { kind: 'configuration', code, message: expect.stringMatching(message) };
      await expect(migrateToLatest(db)).rejects.toMatchObject(refusal);
      await expect(pendingMigrations(db)).rejects.toMatchObject(refusal);
      expect(await contentsOf(db)).toEqual(before);
    },
  );

  it('is none once it was made by this program', async () => {
    const { db } = await open();
    await migrateToLatest(db);
    expect(await findGround(db)).toBe(ground.hash);
  });
});

/** Returns the table names, and the rows with the schema's version. */
async function contentsOf(db: Database) {
  const tables = (await db.introspection.getTables()).map(({ name }) => name).sort();
  const taken = await sql`select name from donor_sync_migration order by name`.execute(db);
  return { tables, taken: taken.rows, ground: await findGround(db) };
}

/** Returns the hash of the first migration's SQLite statements. The hash is the same on Postgres. */
async function hashStatements(): Promise<string> {
  const statements: string[] = [];
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log({ query }) {
      statements.push(query.sql);
    },
  });
  await ground.up(db);
  return hash('sha256', statements.join(';\n')).slice(0, 16);
}
