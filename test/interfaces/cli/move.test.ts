import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hash } from '../../../migrations/0001-ground.ts';
import { type OpenDatabase, openDatabase } from '../../../src/database/database.ts';
import { generateKey } from '../../../src/database/encryption/key-ring.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { applyCommand } from '../../../src/interfaces/cli/commands/apply.ts';
import { auditCommand } from '../../../src/interfaces/cli/commands/audit.ts';
import { exportCommand } from '../../../src/interfaces/cli/commands/export.ts';
import { migrateCommand } from '../../../src/interfaces/cli/commands/migrate.ts';
import { moveCommand } from '../../../src/interfaces/cli/commands/move.ts';
import { otherGround } from '../../helpers/other-grounds.ts';
import { describeOn, freshPostgresUrl } from '../../helpers/test-databases.ts';
import { fillTables, ROWS, rowsOf, tablesOf } from '../../helpers/whole-store.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { runCommand } from './run-command.ts';

const env = { PARTNER_API_KEY: 'key', DONOR_SYNC_SECRET_KEY: generateKey('2026') };

let folder = '';
let source = '';
let target = '';
let opened: OpenDatabase<Tables>[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-move-'));
  source = `sqlite:${join(folder, 'data.db')}`;
  const hillside = aSettingsFile({}).replace('id: riverside', 'id: hillside');
  await writeFile(join(folder, 'hillside.yaml'), hillside);
});
afterEach(async () => {
  for (const { close } of opened) await close();
  opened = [];
  await rm(folder, { recursive: true });
});

it('is refused from Postgres, to a file, from a file that is not there, and without the key', async () => {
  await useDatabase('postgres://nowhere.invalid/store');
  expect((await move('postgres://nowhere.invalid/other')).code).toBe('move_impossible');
  await useDatabase(source);
  expect((await move('sqlite:other.db')).code).toBe('move_impossible');
  expect((await move('postgres://nowhere.invalid/store')).code).toBe('database_file_missing');
  await run(migrateCommand, 'migrate');
  const keyless = await move('postgres://nowhere.invalid/store', { PARTNER_API_KEY: 'key' });
  expect(keyless.code).toBe('secret_key_missing');
});

describeOn('postgres', 'move', () => {
  beforeEach(async () => {
    target = await freshPostgresUrl();
    await useDatabase(source);
    await run(applyCommand, 'apply', 'hillside.yaml');
  });

  it('copies every row of every table, with open submissions and leases as they are', async () => {
    const { db } = await open(source);
    await fillTables(db);
    const tables = await tablesOf(db);
    const before = new Map<string, unknown>();
    for (const table of tables) before.set(table, await rowsOf(db, table));
    await closeAll();
    const { document } = await move(target);
    const [moved, left] = [await open(target), await open(source)];
    // The result includes rows that exist only in the new database.
    expect(await tablesOf(moved.db)).toEqual(tables);
    for (const table of tables) {
      const rows = await rowsOf(moved.db, table);
      expect(rows.length, table).toBeGreaterThanOrEqual(ROWS);
      // Both audits have an entry about the move.
      const there = table.startsWith('audit_') ? await rowsOf(left.db, table) : before.get(table);
      expect(rows, table).toEqual(there);
      expect(document.tables).toContainEqual(
        expect.objectContaining({
          table,
          rows: rows.length,
          digest: expect.stringMatching(/.{8}/),
        }),
      );
    }
  });

  it('is on record in the audit of both: when, who, how much, and what', async () => {
    const { document } = await move(target);
    await onDatabase(source, async (db) => {
      const rows = await rowsOf(db, 'audit_entries');
      expect(rows.filter((row) => row.includes('database.moved'))).toHaveLength(1);
      await onDatabase(target, async (there) => {
        expect(await rowsOf(there, 'audit_entries')).toEqual(rows);
      });
    });
    await useDatabase(target);
    const { entries } = (await run(auditCommand, 'audit')).document;
    const tables: { table: string; rows: number }[] = document.tables;
    const count = tables.reduce((sum, { rows }) => sum + rows, 0);
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'database.moved',
        at: expect.stringMatching(/^\d{4}-/),
        details: {
          from: join(folder, 'data.db'),
          to: document.to,
          tables: tables.length,
          // The entry about the move was added after the count.
          rows: count - 1,
          digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      }),
    );
    const verified = await runCommand(auditCommand, ['audit', 'verify'], { cwd: folder, env });
    expect(verified.exitCode, verified.stderr).toBe(0);
  });

  it('leaves a file that every command refuses, and says where the store is now', async () => {
    expect((await move(target)).exitCode).toBe(0);
    for (const refused of [
      await run(exportCommand, 'export', 'riverside'),
      await run(applyCommand, 'apply', 'hillside.yaml'),
      await run(migrateCommand, 'migrate'),
    ]) {
      expect([refused.exitCode, refused.code]).toEqual([2, 'store_moved']);
      expect(refused.stdout).toContain(new URL(target).host);
    }
    expect((await move(target)).code).toBe('store_moved');
    expect((await move(await freshPostgresUrl())).code).toBe('store_moved');
  });

  it('is refused from and into the tables of another pre-release, and changes neither database', async () => {
    await onDatabase(source, (db) => sql`update donor_sync_ground set hash = '0f0f0f'`.execute(db));
    const file = await readFile(join(folder, 'data.db'));
    expect((await move(target)).code).toBe('database_other_ground');
    expect(await readFile(join(folder, 'data.db'))).toEqual(file);
    await onDatabase(target, async (db) => expect(await db.introspection.getTables()).toEqual([]));
    await onDatabase(source, (db) => sql`update donor_sync_ground set hash = ${hash}`.execute(db));
    await onDatabase(target, otherGround);
    expect((await move(target)).code).toBe('database_other_ground');
    await onDatabase(target, async (db) => {
      expect(await rowsOf(db, 'moves')).toEqual([]);
      // The queue's tables were not created either.
      const schemas = (await db.introspection.getTables()).map(({ schema }) => schema);
      expect(new Set(schemas)).toEqual(new Set(['public']));
    });
    await onDatabase(source, async (db) => expect(await rowsOf(db, 'moves')).toEqual([]));
  });

  it('keeps what is sealed readable in the new database', async () => {
    await move(target);
    await useDatabase(target);
    expect((await run(exportCommand, 'export', 'hillside')).exitCode).toBe(0);
  });

  it('is refused while another process has the file open, also an idle one', async () => {
    await open(source);
    expect((await move(target)).code).toBe('database_in_use');
    await closeAll();
    expect((await move(target)).exitCode).toBe(0);
  });

  it('is refused into a database that is in use, and into one that another file moves to', async () => {
    const used = await freshPostgresUrl();
    await useDatabase(used);
    await run(migrateCommand, 'migrate');
    await run(applyCommand, 'apply', 'hillside.yaml');
    await useDatabase(source);
    expect((await move(used)).code).toBe('target_not_empty');
    await move(target);
    await useDatabase(`sqlite:${join(folder, 'another.db')}`);
    await run(applyCommand, 'apply', 'hillside.yaml');
    expect((await move(target)).code).toBe('target_not_empty');
    // The refused database can still be used.
    expect((await run(exportCommand, 'export', 'riverside')).exitCode).toBe(0);
  });

  it('goes on after it was cut off, with what has changed in the file since', async () => {
    const { db } = await open(source);
    await fillTables(db);
    await closeAll();
    // Simulates a partial copy: one row is wrong, one row is extra, and one row is missing.
    await move(target);
    await onDatabase(target, async (there) => {
      await there.updateTable('moves').set({ done_at: null }).execute();
      await there.updateTable('contacts').set({ outcome_at: 1 }).execute();
      await sql`delete from questions where id = (select min(id) from questions)`.execute(there);
      await there
        .insertInto('rereads')
        .values({ integration_id: 'x', called_at: 1, times: 0 })
        .execute();
    });
    await onDatabase(source, async (here) => {
      await here.updateTable('moves').set({ done_at: null }).execute();
      await here.updateTable('contacts').set({ donor_id: 'later' }).execute();
    });
    await useDatabase(target);
    expect((await run(exportCommand, 'export', 'riverside')).code).toBe('move_unfinished');
    await useDatabase(source);
    expect((await move(target)).exitCode).toBe(0);
    const [here, there] = [await open(source), await open(target)];
    for (const table of await tablesOf(here.db)) {
      expect(await rowsOf(there.db, table), table).toEqual(await rowsOf(here.db, table));
    }
  });

  it('refuses a key that does not open what is in the file, and changes nothing', async () => {
    const other = { ...env, DONOR_SYNC_SECRET_KEY: generateKey('other') };
    expect((await move(target, other)).code).toBe('fingerprint_key_unreadable');
    expect((await run(exportCommand, 'export', 'riverside')).exitCode).toBe(0);
  });
});

function useDatabase(database: string): Promise<void> {
  return writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({ database }));
}

async function open(url: string): Promise<OpenDatabase<Tables>> {
  const database = await openDatabase<Tables>(url);
  opened.push(database);
  return database;
}

async function closeAll(): Promise<void> {
  for (const { close } of opened.splice(0)) await close();
}

async function onDatabase(
  url: string,
  work: (db: OpenDatabase<Tables>['db']) => Promise<unknown>,
): Promise<void> {
  const { db } = await open(url);
  await work(db);
  await closeAll();
}

function move(to: string, withEnv: Record<string, string> = env) {
  return runWith(withEnv, moveCommand, 'move', '--to', to);
}

function run(command: typeof moveCommand, name: string, ...argv: string[]) {
  return runWith(env, command, name, ...argv);
}

async function runWith(
  withEnv: Record<string, string>,
  command: typeof moveCommand,
  name: string,
  ...argv: string[]
) {
  const ended = await runCommand(command, [name, '--json', ...argv], { cwd: folder, env: withEnv });
  const document = JSON.parse(ended.stdout);
  return { ...ended, document, code: document.error?.code };
}
