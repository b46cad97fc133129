import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyCommand } from '../../src/cli/commands/apply.ts';
import { exportCommand } from '../../src/cli/commands/export.ts';
import { migrateCommand } from '../../src/cli/commands/migrate.ts';
import { openDatabase } from '../../src/store/engine/database.ts';
import { MIGRATIONS } from '../../src/store/engine/migrations.ts';
import type { Database, Tables } from '../../src/store/engine/tables.ts';
import { generateKey, parseKeyRing } from '../../src/store/secrets/key-ring.ts';
import { isBound } from '../../src/store/secrets/sealed.ts';
import { describeEachDatabase, describeOn, freshPostgresUrl } from '../helpers/test-databases.ts';
import { unbindSeals } from '../store/secrets/older-seals.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { runCommand } from './run-command.ts';

const ALL = Object.keys(MIGRATIONS);

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-migrate-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function migrate(...options: string[]) {
  return migrateWith({}, ...options);
}

async function migrateWith(env: Record<string, string>, ...options: string[]) {
  const ended = await runCommand(migrateCommand, ['migrate', '--json', ...options], {
    cwd: folder,
    env: { PARTNER_API_KEY: 'key', ...env },
  });
  return { ...ended, document: JSON.parse(ended.stdout) };
}

describeEachDatabase('migrate', (_open, kind) => {
  beforeEach(async () => {
    const database = kind === 'sqlite' ? 'sqlite:data.db' : await freshPostgresUrl();
    await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({ database }));
  });

  it('brings the schema up to date once', async () => {
    expect(await migrate()).toMatchObject({ exitCode: 0, document: { applied: ALL, pending: [] } });
    expect(await migrate()).toMatchObject({ exitCode: 0, document: { applied: [], pending: [] } });
  });

  it('only tells what is missing with --check', async () => {
    const missing = { exitCode: 3, document: { applied: [], pending: ALL } };
    expect(await migrate('--check')).toMatchObject(missing);
    expect(await migrate('--check')).toMatchObject(missing);
    await migrate();
    expect(await migrate('--check')).toMatchObject({ exitCode: 0, document: { pending: [] } });
  });

  describe('on a database whose secrets an older version sealed for no row', () => {
    const secretKey = generateKey('2026');
    const env = { DONOR_SYNC_SECRET_KEY: secretKey };
    let url = '';

    beforeEach(async () => {
      url = kind === 'sqlite' ? `sqlite:${join(folder, 'data.db')}` : await freshPostgresUrl();
      await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({ database: url }));
      await migrateWith(env);
      await runCommand(applyCommand, ['apply', 'donor-sync.yaml'], commandOptions());
      await onDatabase((db) => unbindSeals(db, parseKeyRing(secretKey)));
    });

    it('binds them to their rows once', async () => {
      const bound = { bound: 2, missingKeys: [], damaged: 0 };
      expect((await migrateWith(env)).document).toMatchObject({ bound });
      expect((await migrateWith(env)).document).toMatchObject({ bound: null });
      expect(await areBound()).toEqual([true, true, true]);
      expect(await exported()).toBe(0);
    });

    it('leaves that to the first start where it has no key', async () => {
      const { exitCode, document } = await migrateWith({});
      expect([exitCode, document.bound]).toEqual([0, null]);
      expect(await areBound()).toEqual([false, false]);
      expect(await exported()).toBe(0);
      expect(await areBound()).toEqual([true, true, true]);
    });

    it('believes no settings that were moved from another integration', async () => {
      await migrateWith(env);
      await onDatabase(async (db) => {
        const { settings } = await db
          .selectFrom('integrations')
          .select('settings')
          .executeTakeFirstOrThrow();
        await db
          .insertInto('integrations')
          .values({ id: 'hillside', settings, run_epoch: 0 })
          .execute();
      });
      const { exitCode, stderr } = await runCommand(
        exportCommand,
        ['export', 'hillside'],
        commandOptions(),
      );
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/integrations\.settings.*moved here from another row/);
    });

    function commandOptions() {
      return { cwd: folder, env: { PARTNER_API_KEY: 'key', ...env } };
    }

    async function exported(): Promise<number | null> {
      return (await runCommand(exportCommand, ['export', 'riverside'], commandOptions())).exitCode;
    }

    async function areBound(): Promise<boolean[]> {
      return onDatabase(async (db) => {
        const secrets = await db.selectFrom('secrets').select('value').execute();
        const settings = await db.selectFrom('integrations').select('settings').execute();
        const texts = [
          ...secrets.map(({ value }) => value),
          ...settings.map((row) => row.settings),
        ];
        return texts.map((text) => isBound(text ?? ''));
      });
    }

    async function onDatabase<Result>(work: (db: Database) => Promise<Result>): Promise<Result> {
      const { db, close } = await openDatabase<Tables>(url);
      try {
        return await work(db);
      } finally {
        await close();
      }
    }
  });
});

describeOn('sqlite', 'migrate', () => {
  it('tells a person the steps that it took', async () => {
    await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({}));
    const { stdout } = await runCommand(migrateCommand, ['migrate'], {
      cwd: folder,
      env: { PARTNER_API_KEY: 'key' },
    });
    for (const step of ALL) expect(stdout).toContain(step);
  });

  it('makes no database by checking', async () => {
    await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({}));
    await migrate('--check');
    expect(await readdir(folder)).toEqual(['donor-sync.yaml']);
  });

  it('names no password of the database', async () => {
    const database = 'postgres://user:s3cret-word@127.0.0.1:1/nothing';
    await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({ database }));
    const { exitCode, stdout, stderr } = await migrate();
    expect(exitCode).toBe(2);
    expect(stdout + stderr).not.toContain('s3cret-word');
  });

  it('seals what an older key sealed with the current one, so that the older can go', async () => {
    const [old, next] = [generateKey('old'), generateKey('next')];
    const exportWith = (keys: string) =>
      runCommand(exportCommand, ['export', 'riverside'], {
        cwd: folder,
        env: { PARTNER_API_KEY: 'key', DONOR_SYNC_SECRET_KEY: keys },
      });
    await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({}));
    expect((await exportWith(old)).exitCode).toBe(0);
    expect((await exportWith(next)).exitCode).toBe(2);
    const resealing = await migrateWith({ DONOR_SYNC_SECRET_KEY: `${next},${old}` }, '--reseal');
    expect(resealing.document.resealed).toBeGreaterThan(0);
    expect((await exportWith(next)).exitCode).toBe(0);
    expect((await exportWith(old)).exitCode).toBe(2);
  });
});
