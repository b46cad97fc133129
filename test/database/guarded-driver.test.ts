import Sqlite from 'better-sqlite3';
import { CompiledQuery, type DatabaseConnection, type Driver, DummyDriver } from 'kysely';
import { expect, it } from 'vitest';
import { guardDriver } from '../../src/database/guarded-driver.ts';

it('gives no connection any more once the disk has failed', async () => {
  const driver = guardDriver(driverThatThrows('SQLITE_IOERR_WRITE'));
  const diskFailure = { kind: 'fatal', code: 'database_io_failed' };
  const connection = await driver.acquireConnection();
  await expect(connection.executeQuery(CompiledQuery.raw('commit'))).rejects.toMatchObject(
    diskFailure,
  );
  await expect(driver.acquireConnection()).rejects.toMatchObject(diskFailure);
});

it('goes on after a failure that is not the disk’s', async () => {
  const driver = guardDriver(driverThatThrows('SQLITE_BUSY'));
  const connection = await driver.acquireConnection();
  await expect(connection.executeQuery(CompiledQuery.raw('commit'))).rejects.toMatchObject({
    kind: 'retriable',
  });
  expect(await driver.acquireConnection()).toBe(connection);
});

it('the driver waits for an unavailable database server, but only for a limited time', async () => {
  const away = { code: 'database_unavailable' };
  let tries = 0;
  const driver = (comesBackAt: number) =>
    Object.assign(new DummyDriver(), {
      async acquireConnection() {
        tries += 1;
        if (tries < comesBackAt) {
          throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        }
        return new DummyDriver().acquireConnection();
      },
    });
  await guardDriver(driver(3), { patienceMs: 5_000 }).acquireConnection();
  expect(tries).toBe(3);
  const begunAt = performance.now();
  const never = guardDriver(driver(1_000), { patienceMs: 600 }).acquireConnection();
  await expect(never).rejects.toMatchObject(away);
  expect(performance.now() - begunAt).toBeGreaterThan(500);
  const closed = guardDriver(driver(1_000), { patienceMs: 60_000 });
  const waiting = closed.acquireConnection();
  await closed.destroy();
  await expect(waiting).rejects.toMatchObject(away);
});

function driverThatThrows(code: string): Driver {
  const connection: DatabaseConnection = {
    executeQuery: () => Promise.reject(new Sqlite.SqliteError('as SQLite says it', code)),
    async *streamQuery() {},
  };
  return Object.assign(new DummyDriver(), { acquireConnection: async () => connection });
}
