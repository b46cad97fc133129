import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { generateKey } from '../../../src/database/encryption/key-ring.ts';
import { MIGRATIONS } from '../../../src/database/migrations.ts';
import { exportCommand } from '../../../src/interfaces/cli/commands/export.ts';
import { migrateCommand } from '../../../src/interfaces/cli/commands/migrate.ts';
import {
  describeEachDatabase,
  describeOn,
  freshPostgresUrl,
} from '../../helpers/test-databases.ts';
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
