import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import type { ProductDeps } from '../../../src/interfaces/cli/action/product.ts';
import { auditCommand } from '../../../src/interfaces/cli/commands/audit.ts';
import { tokensCommand } from '../../../src/interfaces/cli/commands/users.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { runCommand } from './run-command.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-audit-'));
  await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({}));
});
afterEach(() => rm(folder, { recursive: true }));

function run(...argv: string[]) {
  const command = argv[0] === 'tokens' ? tokensCommand : auditCommand;
  return runCommand(command, argv, { cwd: folder, env: { PARTNER_API_KEY: 'key' } });
}

const makeToken = (name: string) => run('tokens', 'create', '--role', 'viewer', '--name', name);

const entriesSchema = z.strictObject({
  entries: z.array(
    z.strictObject({
      seq: z.int(),
      at: z.iso.datetime(),
      who: z.strictObject({ kind: z.string(), name: z.string(), from: z.string() }),
      action: z.string(),
      integration: z.string().nullable(),
      contact: z.string().nullable(),
      contactErased: z.boolean(),
      details: z.record(z.string(), z.unknown()),
      readable: z.boolean(),
    }),
  ),
});

async function changeInDatabase(): Promise<void> {
  const { db, close } = await openDatabase<Tables>(`sqlite:${join(folder, 'data.db')}`);
  const { seq } = await db
    .selectFrom('audit_entries')
    .select('seq')
    .where('action', '=', 'token.made')
    .executeTakeFirstOrThrow();
  await db.updateTable('audit_entries').set({ at: 1 }).where('seq', '=', seq).execute();
  await close();
}

describe('donor-sync audit', () => {
  it('adds nothing to what it checks, also where the entry of the settings was changed', async () => {
    await makeToken('monitoring');
    const { db, close } = await openDatabase<Tables>(`sqlite:${join(folder, 'data.db')}`);
    const count = async () => (await db.selectFrom('audit_entries').select('seq').execute()).length;
    const rename = (from: string, to: string) =>
      db.updateTable('audit_entries').set({ action: to }).where('action', '=', from).execute();
    const entries = await count();
    await rename('settings.changed', 'x');
    expect((await run('audit', 'verify')).exitCode).toBe(1);
    await rename('x', 'settings.changed');
    expect((await run('audit', 'verify')).exitCode).toBe(0);
    expect(await count()).toBe(entries);
    await close();
  });

  it('shows which user of which machine did what', async () => {
    await makeToken('monitoring');
    const { exitCode, stdout } = await run('audit');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /anna \(command line\) +test +token\.made .*name monitoring, role viewer/,
    );
  });

  it('gives all that is asked for to programs, and notes that it did', async () => {
    for (const name of ['one', 'two', 'three']) await makeToken(name);
    const { stdout } = await run('audit', '--json', '--action', 'token.made');
    const { entries } = entriesSchema.parse(JSON.parse(stdout));
    expect(entries.map(({ details }) => details['name'])).toEqual(['three', 'two', 'one']);
    expect(entries[0]?.who).toEqual({ kind: 'command', name: 'anna', from: 'test' });
    const limited = await run('audit', '--json', '--limit', '1');
    const [last] = entriesSchema.parse(JSON.parse(limited.stdout)).entries;
    expect(last?.action).toBe('audit.exported');
    const none = await run('audit', '--json', '--since', '2999-01-01');
    expect(JSON.parse(none.stdout)).toEqual({ entries: [] });
  });

  it('has the same file in `audit export`, and notes that too', async () => {
    await makeToken('monitoring');
    const filter = ['--action', 'token.made'];
    const whole = await run('audit', '--csv', ...filter);
    const exported = await run('audit', 'export', '--csv', ...filter);
    expect(exported.stdout).toBe(whole.stdout);
    expect(exported.stdout.trim().split('\n')).toHaveLength(2);
    const { stdout } = await run('audit', '--action', 'audit.exported');
    expect(stdout.match(/audit\.exported/g)).toHaveLength(2);
  });

  it('writes CSV that no spreadsheet runs', async () => {
    await makeToken('=1+1');
    const { stdout } = await run('audit', '--csv', '--action', 'token.made');
    const [header, line] = stdout.split('\n');
    expect(header).toBe('Entry,At,Who,How,From,Action,Integration,Contact,Details');
    expect(line).toMatch(
      /^\d+,[\dT:.Z-]+,anna,command,test,token\.made,,,"token [\w-]+, name =1\+1, /,
    );
  });

  it('refuses a word that is no action, and names those that there are', async () => {
    const { exitCode, stderr } = await run('audit', '--action', 'tokens');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/no such action.*token\.made/);
  });

  it.each([
    { argv: ['--since', 'soon'], text: /The start of the period must be a day/ },
    { argv: ['--until', '2026-02-30'], text: /The end of the period must be a day/ },
    { argv: ['--person', ''], text: /The name of the user or token must have 1 to 100 characters/ },
    { argv: ['--integration', ''], text: /The ID of the client must have 1 to 63 characters/ },
  ])('refuses a filter that does not fit, and writes no file: $argv', async ({ argv, text }) => {
    await makeToken('monitoring');
    const { exitCode, stdout, stderr } = await run('audit', '--csv', ...argv);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(text);
  });

  it('finds the newest entry of one user, although others acted later', async () => {
    await makeToken('monitoring');
    for (const name of ['two', 'three']) {
      const argv = ['tokens', 'create', '--role', 'viewer', '--name', name];
      const env = { PARTNER_API_KEY: 'key' };
      const asBen = (deps: ProductDeps) => tokensCommand({ ...deps, user: 'ben' });
      expect((await runCommand(asBen, argv, { cwd: folder, env })).exitCode).toBe(0);
    }
    const filter = ['--action', 'token.made', '--limit', '1', '--person', 'ANN'];
    const { stdout } = await run('audit', '--json', ...filter);
    const { entries } = entriesSchema.parse(JSON.parse(stdout));
    expect(entries.map(({ details }) => details['name'])).toEqual(['monitoring']);
    const nobody = await run('audit', '--json', '--person', 'carla');
    expect(JSON.parse(nobody.stdout)).toEqual({ entries: [] });
  });

  it('ends before the day of --until', async () => {
    await makeToken('monitoring');
    const until = async (day: string) => {
      const { stdout } = await run('audit', '--json', '--action', 'token.made', '--until', day);
      return entriesSchema.parse(JSON.parse(stdout)).entries.length;
    };
    expect(await until('2000-01-01')).toBe(0);
    expect(await until('2999-01-01')).toBe(1);
  });

  it('says that nothing was changed, and where the chain ends', async () => {
    await makeToken('monitoring');
    const first = await run('audit', 'verify', '--json');
    expect(first.exitCode).toBe(0);
    const check = z
      .strictObject({
        isRunning: z.literal(false),
        verdict: z.literal('cannot_tell'),
        checked: z.int().positive(),
        of: z.int().positive(),
        finishedAt: z.iso.datetime(),
        problems: z.array(z.string()).length(0),
        end: z.string(),
        purgedThrough: z.int(),
      })
      .parse(JSON.parse(first.stdout));
    expect(first.exitCode).toBe(0);
    const known = await run('audit', 'verify', '--known', check.end, '--json');
    expect(JSON.parse(known.stdout)).toMatchObject({ verdict: 'intact' });
    await makeToken('another');
    const later = await run('audit', 'verify', '--known', check.end);
    expect(later.exitCode).toBe(0);
    expect(later.stdout).toMatch(/entries checked, and none was changed/);
    expect((await run('audit', 'verify', '--known', 'x')).exitCode).toBe(2);
  });

  it('adds nothing to what it checks, also where the settings were changed', async () => {
    await makeToken('monitoring');
    const count = async () => {
      const { db, close } = await openDatabase<Tables>(`sqlite:${join(folder, 'data.db')}`);
      const rows = await db.selectFrom('audit_entries').select('seq').execute();
      await close();
      return rows.length;
    };
    const before = await count();
    await writeFile(
      join(folder, 'donor-sync.yaml'),
      aSettingsFile({ partnerUrl: 'https://q.example' }),
    );
    expect((await run('audit', 'verify')).exitCode).toBe(0);
    expect(await count()).toBe(before);
    await makeToken('another');
    expect(await count()).toBe(before + 2);
  });

  it('says with exit code 1 what was changed', async () => {
    await makeToken('monitoring');
    await changeInDatabase();
    const { exitCode, stderr } = await run('audit', 'verify');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/The audit was changed\. Entry \d+ was changed, or added/);
  });
});
