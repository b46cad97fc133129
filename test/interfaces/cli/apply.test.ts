import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyCommand } from '../../../src/interfaces/cli/commands/apply.ts';
import { exportCommand } from '../../../src/interfaces/cli/commands/export.ts';
import { removeCommand } from '../../../src/interfaces/cli/commands/remove.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { runCommand } from './run-command.ts';

const HILLSIDE = `integrations:
  - id: hillside
    partner: { baseUrl: https://p.example, apiKey: "\${HILLSIDE_KEY}" }
    crm:
      kind: csv
      path: lists/hillside.csv
      columns: { id: Id, firstName: First, lastName: Last }
`;

const ENV = { PARTNER_API_KEY: 'key-of-riverside', HILLSIDE_KEY: 'key-of-hillside' };

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-apply-'));
  await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({}));
  await writeFile(join(folder, 'hillside.yaml'), HILLSIDE);
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function apply(...options: string[]) {
  return runCommand(applyCommand, ['apply', ...options], { cwd: folder, env: ENV });
}

function exportOf(id: string, ...options: string[]) {
  return runCommand(exportCommand, ['export', id, ...options], { cwd: folder, env: ENV });
}

describe('apply', () => {
  it('stores an integration, and says when nothing or something has changed', async () => {
    expect(await apply('hillside.yaml')).toMatchObject({
      exitCode: 0,
      stdout: 'hillside: created.\n',
    });
    expect((await apply('hillside.yaml')).stdout).toBe('hillside: unchanged.\n');
    await writeFile(join(folder, 'hillside.yaml'), `${HILLSIDE}    budget: { keep: 5 }\n`);
    expect((await apply('hillside.yaml')).stdout).toBe('hillside: changed.\n');
    const { integrations } = JSON.parse((await exportOf('hillside', '--json')).stdout);
    expect(integrations[0]).toMatchObject({ id: 'hillside', budget: { keep: 5 } });
  });

  it('takes variables from .env beside the settings, wherever the file is, and those of the environment first', async () => {
    await writeFile(join(folder, '.env'), 'HILLSIDE_KEY=from-file\nPARTNER_API_KEY=from-file\n');
    await mkdir(join(folder, 'more'));
    await writeFile(join(folder, 'more/hillside.yaml'), HILLSIDE);
    await writeFile(
      join(folder, 'lakeside.yaml'),
      aSettingsFile({}).replace('id: riverside', 'id: lakeside'),
    );
    const env = { PARTNER_API_KEY: ENV.PARTNER_API_KEY };
    const run = (file: string) => runCommand(applyCommand, ['apply', file], { cwd: folder, env });
    expect(await run('more/hillside.yaml')).toMatchObject({ exitCode: 0 });
    expect(await run('lakeside.yaml')).toMatchObject({ exitCode: 0 });
    // If the environment has the same values, nothing changes.
    const same = { ...ENV, HILLSIDE_KEY: 'from-file' };
    const again = (file: string) =>
      runCommand(applyCommand, ['apply', file, '--dry-run'], { cwd: folder, env: same });
    expect((await again('more/hillside.yaml')).stdout).toContain('hillside: unchanged');
    expect((await again('lakeside.yaml')).stdout).toContain('lakeside: unchanged');
  });

  it('means files from the folder of the file that names them', async () => {
    await apply('hillside.yaml');
    const { integrations } = JSON.parse((await exportOf('hillside', '--json')).stdout);
    expect(integrations[0].crm.path).toBe(join(folder, 'lists/hillside.csv'));
  });

  it('leaves no key in clear in the database', async () => {
    await apply('hillside.yaml');
    for (const file of ['data.db', 'data.db-wal']) {
      const bytes = await readFile(join(folder, file)).catch(() => Buffer.alloc(0));
      expect(bytes.includes(ENV.HILLSIDE_KEY)).toBe(false);
    }
  });

  it('stores nothing with --dry-run', async () => {
    const { stdout } = await apply('hillside.yaml', '--dry-run', '--json');
    expect(JSON.parse(stdout)).toEqual({
      dryRun: true,
      integrations: [{ id: 'hillside', change: 'created' }],
    });
    expect(await exportOf('hillside')).toMatchObject({ exitCode: 2 });
  });

  it('stores no server and no database, and says so', async () => {
    await writeFile(join(folder, 'hillside.yaml'), `database: "sqlite:other.db"\n${HILLSIDE}`);
    const { stdout, stderr } = await apply('hillside.yaml');
    expect(stdout).toBe('hillside: created.\n');
    expect(stderr).toContain('"database" of hillside.yaml is not applied');
  });

  it('says of the rules for two people as well that they are not applied', async () => {
    await writeFile(join(folder, 'hillside.yaml'), `twoPeople: { undo: 5 }\n${HILLSIDE}`);
    const { exitCode, stderr } = await apply('hillside.yaml');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('"twoPeople" of hillside.yaml is not applied');
  });

  it.each([[[]], [['--dry-run']]])(
    'refuses a client of the settings file, says what to do, and stores no other either (%j)',
    async (options) => {
      const [, riverside = ''] = aSettingsFile({}).split('integrations:\n');
      await writeFile(join(folder, 'both.yaml'), HILLSIDE + riverside);
      const { exitCode, stderr } = await apply('both.yaml', ...options);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`"riverside" is in the operator's settings file`);
      expect(stderr).toContain('Nothing was changed.');
      expect(await exportOf('hillside')).toMatchObject({ exitCode: 2 });
    },
  );

  describe('of an address at which keys could be read on the way', () => {
    const insecure = HILLSIDE.replace('https://p.example', 'http://p.example');

    it.each([[[]], [['--dry-run']]])('refuses it at once (%j)', async (options) => {
      await writeFile(join(folder, 'hillside.yaml'), insecure);
      const { exitCode, stderr } = await apply('hillside.yaml', ...options);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(
        /hillside\.yaml:\d+:\d+ .*partner\.baseUrl: .*p\.example.*allowInsecureHttp/,
      );
      expect(await exportOf('hillside')).toMatchObject({ exitCode: 2 });
    });

    it('does not let an integration that is secure become insecure', async () => {
      await apply('hillside.yaml');
      await writeFile(join(folder, 'hillside.yaml'), insecure);
      expect(await apply('hillside.yaml')).toMatchObject({ exitCode: 2 });
    });

    it('takes it where the settings file allows its host, and no word of the applied file', async () => {
      const allowed = 'allowInsecureHttp: [p.example]\n';
      await writeFile(join(folder, 'hillside.yaml'), insecure + allowed);
      expect(await apply('hillside.yaml')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('"allowInsecureHttp" of hillside.yaml is not applied'),
      });
      await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({}) + allowed);
      expect(await apply('hillside.yaml')).toMatchObject({ stdout: 'hillside: created.\n' });
    });

    it('refuses one that is in the database once its host is not allowed any more', async () => {
      const file = join(folder, 'donor-sync.yaml');
      await writeFile(file, `${aSettingsFile({})}allowInsecureHttp: [p.example]\n`);
      await writeFile(join(folder, 'hillside.yaml'), insecure);
      await apply('hillside.yaml');
      await writeFile(file, aSettingsFile({}));
      await writeFile(join(folder, 'hillside.yaml'), `${insecure}    budget: { keep: 5 }\n`);
      expect(await apply('hillside.yaml')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/hillside\.yaml:\d+:\d+ .*partner\.baseUrl: .*p\.example/),
      });
    });
  });

  it.each([
    ['nowhere.yaml', 'nowhere.yaml cannot be read'],
    ['wrong.yaml', 'wrong.yaml:4:'],
  ])('refuses %s and stores nothing', async (file, words) => {
    await writeFile(
      join(folder, 'wrong.yaml'),
      HILLSIDE.replace('kind: csv', 'kind: csv\n      pathh: x'),
    );
    const { exitCode, stderr } = await apply(file);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words.split(':')[0]);
    expect(await exportOf('hillside')).toMatchObject({ exitCode: 2 });
  });
});

describe('remove', () => {
  const remove = () =>
    runCommand(removeCommand, ['remove', 'hillside', '--yes'], { cwd: folder, env: ENV });
  const NAME = '6f1f0c58-3a0e-4c0d-9d0b-0a1f2b3c4d5e';

  it('deletes the file that was dropped into a set-up, and says so', async () => {
    await mkdir(join(folder, 'uploads'));
    const names = [
      `${NAME}.csv`,
      `${NAME}-enhanced.csv`,
      `${NAME}-enhanced.csv.donor-sync-journal`,
    ];
    for (const name of [...names, 'by-hand.csv'])
      await writeFile(join(folder, 'uploads', name), 'Id');
    const path = join(folder, 'uploads', `${NAME}.csv`);
    await writeFile(join(folder, 'hillside.yaml'), HILLSIDE.replace('lists/hillside.csv', path));
    await apply('hillside.yaml');
    const { exitCode, stdout } = await remove();
    expect(exitCode).toBe(0);
    for (const name of names) expect(stdout).toContain(`The file uploads/${name} was deleted.`);
    expect(await readdir(join(folder, 'uploads'))).toEqual(['by-hand.csv']);
  });

  it('leaves a file alone that the operator has put there', async () => {
    await mkdir(join(folder, 'lists'));
    await writeFile(join(folder, 'lists/hillside.csv'), 'Id');
    await apply('hillside.yaml');
    expect((await remove()).stdout).toBe('"hillside" was removed from the database.\n');
    expect(await readdir(join(folder, 'lists'))).toEqual(['hillside.csv']);
  });

  it('asks first, and is refused for a client of the settings file alone', async () => {
    await apply('hillside.yaml');
    const run = (...words: string[]) =>
      runCommand(removeCommand, ['remove', ...words], { cwd: folder, env: ENV });
    const unconfirmed = await run('hillside');
    expect([unconfirmed.exitCode, unconfirmed.stderr]).toEqual([
      2,
      expect.stringContaining('--yes'),
    ]);
    const ofFile = await run('riverside', '--yes', '--json');
    expect([ofFile.exitCode, ofFile.stdout]).toEqual([2, expect.stringContaining('not_applied')]);
    const unknown = await run('hillsid', '--yes');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('"hillside"')]);
    expect((await exportOf('hillside')).exitCode).toBe(0);
  });
});
