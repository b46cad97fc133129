import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { recordKeyBalance } from '../../src/credits/statements/balances.ts';
import type { Lease } from '../../src/database/leases.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/tables/tables.ts';
import { createStore, type Store } from '../../src/store.ts';
import { recordRunBegin } from '../../src/sync/statements/runs.ts';
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts';
import type { OpenFresh } from '../helpers/test-databases.ts';

/** The initial time of each test's clock. It is too large for a 32-bit integer. */
export const START_MS = 1_800_000_000_000;

export const INTEGRATION = 'riverside';
export const RUN = 'run-1';
export const KEY = 'key-1';
export const BALANCE = 1_000;

/** A store over a real database, in which the first run of `INTEGRATION` has just begun. */
export interface StoreWorld {
  db: Database;
  url: string;
  store: Store;
  clock: FakeClock;
  /** The lease of `INTEGRATION`. */
  lease: Lease;
}

/**
 * Gives each test a separate store. The stores share a database, which is opened once and emptied before each test.
 */
export function storeWorlds(open: OpenFresh): () => Promise<StoreWorld> {
  let opened: Promise<{ db: Database; url: string; tables: string[] }> | undefined;

  return async () => {
    opened ??= openMigrated(open);
    const { db, url, tables } = await opened;
    await db.transaction().execute(async (transaction) => {
      for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(transaction);
    });
    const clock = createFakeClock(START_MS);
    const store = createStore({ db, clock, fingerprint: testFingerprint });
    const lease = await takeLease(store, INTEGRATION);
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, RUN, 'manual', null));
    await recordKeyBalance(store.connection, KEY, 0, BALANCE);
    return { db, url, store, clock, lease };
  };
}

async function openMigrated(open: OpenFresh) {
  const { db, url } = await open();
  await migrateToLatest(db);
  return { db, url, tables: await tableNames(db) };
}

/** Returns a fingerprint that needs no key. The fingerprint does not reveal its input. */
export function testFingerprint(purpose: string, text: string): string {
  return createHash('sha256').update(`${purpose}\0${text}`).digest('base64url');
}

/** Takes over a client's lease from its holder. */
export async function takeLease(store: Store, integrationId: string): Promise<Lease> {
  const attempt = await store.leases.acquire(integrationId, 'a-new-owner', () => true);
  if (!attempt.acquired) throw new Error(`${integrationId} is leased to ${attempt.owner}`);
  return attempt.lease;
}

/** Returns the tables of the product, by name. */
export async function tableNames(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables.filter(isOfProduct).map(({ name }) => name);
}

/**
 * Returns each table's rows as JSON, including the tables of the queue. Tests compare the rows to find changes and
 * remaining data.
 */
export async function everything(db: Database): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const table of await db.introspection.getTables()) {
    const name = isOfProduct(table) ? table.name : `${table.schema}.${table.name}`;
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    tables[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return tables;
}

/** Returns true for the product's own tables. On Postgres, the queue's tables are in a separate schema. */
function isOfProduct({ schema = 'public' }: { schema?: string | undefined }): boolean {
  return schema === 'public';
}
