/**
 * Runs a process that erases one contact and is killed before the statement with this number. The number 0 means that
 * the process is not killed.
 */

import { createHash } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { systemClock } from '../../../src/core/clock.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { overwriteErased } from '../../../src/database/sqlite/erased-bytes.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { openErasureLog } from '../../../src/privacy/statements/erasure-log.ts';
import { beginErasure, eraseFromStore } from '../../../src/privacy/statements/erasures.ts';
import { createStore } from '../../../src/store.ts';

const [url = '', integrationId = '', crmId = '', log = '', deadly = '0'] = process.argv.slice(2);
let statements = 0;
let isCounting = false;

watchSqlite();
watchPostgres();
const { db, close } = await openDatabase<Tables>(url);
const store = createStore({
  db,
  clock: systemClock,
  // The tests' stores use the same fingerprint when they check the data that this process left.
  fingerprint: (purpose, text) =>
    createHash('sha256').update(`${purpose}\0${text}`).digest('base64url'),
  erasures: openErasureLog(log),
});
const attempt = await store.leases.acquire(integrationId, `forget-${process.pid}`, () => true);
if (!attempt.acquired) throw new Error(`${integrationId} is leased to ${attempt.owner}`);
isCounting = true;
const erasure = {
  crmId,
  state: 'begun',
  person: null,
  everywhere: false,
  donors: [],
  receipt: null,
} as const;
await beginErasure(store, attempt.lease, erasure);
await eraseFromStore(store, attempt.lease, crmId);
await overwriteErased(store.connection);
isCounting = false;
process.stdout.write(`${statements}\n`);
await close();

function pass(): void {
  if (!isCounting) return;
  statements += 1;
  if (statements === Number(deadly)) process.kill(process.pid, 'SIGKILL');
}

function watchSqlite(): void {
  const { prepare } = Sqlite.prototype;
  Object.defineProperty(Sqlite.prototype, 'prepare', { value: prepareWatched });

  function prepareWatched(this: Sqlite.Database, text: string): Sqlite.Statement {
    const statement = prepare.call(this, text);
    for (const method of ['run', 'all', 'get'] as const) {
      const execute = statement[method];
      const watched = (...parameters: unknown[]) => {
        pass();
        return Reflect.apply(execute, statement, parameters);
      };
      Object.defineProperty(statement, method, { value: watched });
    }
    return statement;
  }
}

function watchPostgres(): void {
  const { query } = pg.Client.prototype;
  Object.defineProperty(pg.Client.prototype, 'query', { value: queryWatched });

  function queryWatched(this: pg.Client, ...parameters: unknown[]): unknown {
    pass();
    return Reflect.apply(query, this, parameters);
  }
}
