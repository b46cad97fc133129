import Sqlite from 'better-sqlite3';
import { CompiledQuery, type DatabaseConnection, type Driver, DummyDriver } from 'kysely';
import { expect, it } from 'vitest';
import { guardDriver } from '../../src/store/guarded-driver.ts';

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

function driverThatThrows(code: string): Driver {
  const connection: DatabaseConnection = {
    executeQuery: () => Promise.reject(new Sqlite.SqliteError('as SQLite says it', code)),
    async *streamQuery() {},
  };
  return Object.assign(new DummyDriver(), { acquireConnection: async () => connection });
}
