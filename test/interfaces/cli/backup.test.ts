import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../src/core/clock.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { loadKeyRing } from '../../../src/database/encryption/key-ring.ts';
import { sealFile } from '../../../src/database/encryption/sealed-file.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { describeOn, freshPostgresUrl } from '../../helpers/test-databases.ts';
import { holdsSchema } from './documents.ts';
import { databaseText, enhancedId } from './forgetting.ts';

const open = closedAfterTest(openCliWorld);
const WEEK_MS = 7 * 86_400_000;

const backupSchema = z.object({
  backup: z.object({
    kid: z.string(),
    madeAt: z.iso.datetime(),
    digest: z.string().regex(/^[0-9a-f]{64}$/),
    bytes: z.int(),
    file: z.string(),
  }),
});

const restoredSchema = z.object({
  restored: z.object({
    blocked: z.int(),
    erased: z.int(),
    unfinished: z.int(),
    held: z.array(z.string()),
    logReachesTo: z.int().nullable(),
    unknownAfter: z.int().nullable(),
    keptAs: z.string().nullish(),
  }),
});

const spendingSchema = z.object({
  restored: z.object({
    spending: z.object({ isJournaled: z.boolean(), contacts: z.int(), credits: z.int() }),
  }),
});

const agreedSchema = z.object({
  agreed: z.array(
    z.object({ integration: z.string(), credits: z.int().nullable(), wasHeld: z.boolean() }),
  ),
});

/** Returns the files next to the database. Omits the files that the test itself created. */
async function filesOf(world: CliWorld): Promise<string[]> {
  const names = await readdir(world.path('.'));
  return names
    .filter((name) => !/\.(csv|yaml)$/.test(name))
    .map((name) => name.replace(/\d{4}-\d{2}$/, 'MONTH'))
    .toSorted();
}

describeOn('sqlite', 'donor-sync backup and restore', () => {
  it('bring the database back as it was, and keep the one before', async () => {
    const world = await open();
    await world.run(['sync']);
    const { backup } = await world.runJson(['backup', 'one.backup'], backupSchema);
    const before = await world.run(['runs', '--json']);
    await world.run(['sync', '--full']);
    expect((await world.run(['runs', '--json'])).stdout).not.toBe(before.stdout);
    const { restored } = await world.runJson(['restore', 'one.backup', '--yes'], restoredSchema);
    expect(restored).toMatchObject({ held: ['riverside'], blocked: 0, erased: 0 });
    expect((await world.run(['runs', '--json'])).stdout).toBe(before.stdout);
    expect(await filesOf(world)).toEqual([
      ...['donor-sync.erasures', 'one.backup', 'store.db', 'store.db.before-restore'],
      ...['store.db.erasures', 'store.db.erasures.writes-MONTH', 'store.db.key'],
      'store.db.spending',
    ]);
    expect((await stat(world.path('one.backup'))).mode & 0o777).toBe(0o600);
    expect((await stat(world.path('store.db'))).mode & 0o777).toBe(0o600);
    const check = await world.runJson(['restore', 'one.backup', '--check'], backupSchema);
    expect(check.backup).toEqual(backup);
  });

  describe('with a backup that is a week old', () => {
    let world: CliWorld;
    let agoMs = 0;
    let spent = 0;
    let erased = '';

    beforeEach(async () => {
      const clock = { ...systemClock, now: () => systemClock.now() - agoMs };
      world = await open({ clock });
      const all = await world.rows();
      await world.saveRows(all.slice(0, 6));
      await world.run(['sync']);
      agoMs = WEEK_MS;
      await world.run(['backup', 'old.backup']);
      agoMs = 0;
      await world.saveRows([...(await world.rows()), ...all.slice(6)]);
      await world.run(['sync']);
      erased = await enhancedId(world);
      await world.run(['forget', erased, '--also-in-crm', '--yes']);
      spent = await world.spent();
      await world.run(['restore', 'old.backup', '--yes']);
    });

    it('spend no credit before a person agrees, and none for what was paid after it', async () => {
      expect(spent).toBe(12);
      const sync = await world.run(['sync', '--full', '--json']);
      expect(sync.exitCode).toBe(3);
      expect(sync.stdout).toContain('"restore_unconfirmed"');
      expect(await world.spent()).toBe(spent);
      const plan = await world.run(['plan']);
      expect(plan.stdout).toContain('Nothing is spent before you agree');
      expect((await world.run(['restore', '--agree', 'riverside'])).exitCode).toBe(2);
      const { agreed } = await world.runJson(
        ['restore', '--agree', 'riverside', '--yes'],
        agreedSchema,
      );
      expect(agreed).toEqual([{ integration: 'riverside', credits: 0, wasHeld: true }]);
      expect((await world.run(['sync', '--full', '--adopt'])).exitCode).toBe(0);
      expect(await world.spent()).toBe(spent);
      const audit = await world.run(['audit']);
      expect(audit.stdout).toMatch(/restore\.agreed/);
      expect(audit.stdout).toMatch(/database\.restored/);
      expect((await world.run(['audit', 'verify'])).exitCode).toBe(0);
    });

    it('keep those erased who were erased since', async () => {
      expect(await databaseText(world)).not.toContain(erased);
      await world.run(['restore', '--agree', 'riverside', '--yes']);
      await world.run(['sync', '--full', '--adopt']);
      const row = (await world.rows()).find((each) => each['Id'] === erased);
      expect(row).toBeDefined();
      expect(row?.['Donor ID']).toBe('');
      expect(await databaseText(world)).not.toContain(erased);
      const again = await world.run(['forget', erased, '--yes']);
      expect(again.stdout).toContain('already');
    });

    it('let those be taken up again whose block was lifted since', async () => {
      await world.run(['forget', erased, '--lift-block', '--yes']);
      const { restored } = await world.runJson(['restore', 'old.backup', '--yes'], restoredSchema);
      expect(restored.blocked).toBe(0);
    });
  });

  it('refuse a database on the tables of another pre-release, and change nothing', async () => {
    const world = await open();
    await world.run(['sync']);
    await world.run(['backup', 'one.backup']);
    const { db, close } = await openDatabase<Tables>(`sqlite:${world.path('store.db')}`);
    await sql`update donor_sync_ground set hash = '0f0f0f'`.execute(db);
    await close();
    // Creates a database in the form of a different pre-release.
    const keyRing = await loadKeyRing(undefined, `sqlite:${world.path('store.db')}`);
    await sealFile(world.path('store.db'), world.path('other.backup'), keyRing, 0);
    const [files, bytes] = [await filesOf(world), await readFile(world.path('store.db'))];
    for (const command of [
      ['backup', 'two.backup'],
      ['restore', 'other.backup', '--yes'],
      ['restore', 'other.backup', '--check'],
      ['sync'],
      ['migrate'],
    ]) {
      const { exitCode, stderr } = await world.run(command);
      expect([command, exitCode, stderr]).toEqual([
        ...[command, 2, expect.stringContaining('another pre-release of 1.0.0')],
      ]);
    }
    expect(await filesOf(world)).toEqual(files);
    expect(await readFile(world.path('store.db'))).toEqual(bytes);
    expect((await world.run(['restore', 'one.backup', '--yes'])).exitCode).toBe(0);
  });

  it('is refused while a process uses the database, and changes nothing', async () => {
    const world = await open();
    await world.run(['sync']);
    await world.run(['backup', 'one.backup']);
    const other = await openDatabase(`sqlite:${world.path('store.db')}`);
    const files = await filesOf(world);
    const { exitCode, stderr } = await world.run(['restore', 'one.backup', '--yes']);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('in use by another process')]);
    expect(await filesOf(world)).toEqual(files);
    await other.close();
    expect((await world.run(['restore', 'one.backup', '--yes'])).exitCode).toBe(0);
  });

  describe('with a person who was erased after the backup', () => {
    let world: CliWorld;
    let erased = '';
    const isBack = async () => (await databaseText(world)).includes(erased);

    beforeEach(async () => {
      world = await open();
      await world.run(['sync']);
      await mkdir(world.path('safe'));
      await world.run(['backup', 'safe/one.backup']);
      await copyFile(world.path('store.db.erasures'), world.path('copied.erasures'));
      erased = await enhancedId(world);
      await world.run(['forget', erased, '--also-in-crm', '--yes']);
    });

    it('erase again by the log next to the backup, and name how far it reaches', async () => {
      await rm(world.path('store.db.erasures'));
      const { restored } = await world.runJson(
        ['restore', 'safe/one.backup', '--yes'],
        restoredSchema,
      );
      expect(restored).toMatchObject({ blocked: 1, erased: 1, unknownAfter: null });
      expect(restored.logReachesTo).toBeGreaterThan(0);
      expect(await isBack()).toBe(false);
      expect((await world.run(['audit', 'verify'])).exitCode).toBe(0);
      expect(await readFile(world.path('store.db.erasures'), 'utf8')).toContain('"erased"');
      expect((await world.run(['sync', '--json'])).stdout).toContain('"restore_unconfirmed"');
    });

    it.each([
      ['no log is found', 'NO ERASURE LOG', async () => rm(world.path('store.db.erasures'))],
      [
        'the log is a copy that was made with the backup',
        'counts as missing',
        async () => copyFile(world.path('copied.erasures'), world.path('store.db.erasures')),
      ],
    ])('say so if %s, and run nothing before a user agrees', async (_, words, spoil) => {
      await rm(world.path('safe/donor-sync.erasures'));
      await spoil();
      const { stdout } = await world.run(['restore', 'safe/one.backup', '--yes']);
      expect(stdout).toContain(words);
      expect(stdout).toMatch(/Erasures after .* are not known/);
      expect(stdout).toContain('Nothing runs for riverside until you agree');
      expect(await isBack()).toBe(true);
      const before = await world.rows();
      const requests = await world.requests();
      const sync = await world.run(['sync', '--full', '--json']);
      expect(sync.exitCode).toBe(3);
      expect(sync.stdout).toContain('"restore_unconfirmed"');
      expect(sync.stdout).toContain('are not known');
      expect(await world.rows()).toEqual(before);
      expect((await world.requests()).length).toBeLessThanOrEqual(requests.length + 2);
      const runs = z
        .object({ runs: z.array(z.object({ id: z.string() })) })
        .parse(JSON.parse((await world.run(['runs', '--json'])).stdout));
      const undo = await world.run(['undo', runs.runs.at(-1)?.id ?? '', '--yes']);
      expect([undo.exitCode, undo.stderr]).toEqual([2, expect.stringContaining('are not known')]);
      // Processes have since written to the new log, but the log does not show whether the contact was paid for.
      expect((await world.run(['forget', erased, '--yes'])).exitCode).toBe(0);
      expect((await world.run(['restore', '--agree', 'riverside', '--yes'])).exitCode).toBe(0);
      expect((await world.run(['sync'])).exitCode).toBe(0);
      expect(await isBack()).toBe(false);
    });

    it('are named by doctor, with the log of writes, if that cannot be written', async () => {
      const [log = ''] = (await readdir(world.path(''))).filter((name) =>
        name.includes('.writes-'),
      );
      await rm(world.path(log));
      await mkdir(world.path(log));
      const { stdout, exitCode } = await world.run(['doctor']);
      expect(exitCode).toBe(2);
      expect(stdout).toMatch(/✗ log of writes: .*\.writes-\d{4}-\d\d.*not a file/);
    });

    it('are named by doctor if they cannot be written, and forgetting waits for no folder of backups', async () => {
      await rm(world.path('safe/donor-sync.erasures'));
      await mkdir(world.path('safe/donor-sync.erasures'));
      const { stdout, exitCode } = await world.run(['doctor']);
      expect(exitCode).toBe(2);
      expect(stdout).toMatch(/✗ log of erasures: .*safe\/donor-sync\.erasures/);
      const other = await enhancedId(world);
      expect((await world.run(['forget', other, '--yes'])).exitCode).toBe(0);
      await rm(world.path('safe'), { recursive: true });
      expect((await world.run(['doctor'])).stdout).toMatch(/✓ log of erasures: .* does not exist/);
      await mkdir(world.path('safe'));
      await world.run(['status']);
      const log = await readFile(world.path('safe/donor-sync.erasures'), 'utf8');
      expect(log.match(/"what":"erased"/g)).toHaveLength(2);
    });
  });

  it('bring back a database that was lost or damaged', async () => {
    const world = await open();
    await world.run(['sync']);
    await world.run(['backup', 'one.backup']);
    await writeFile(world.path('store.db'), 'this is no database');
    expect((await world.run(['restore', 'one.backup', '--yes'])).exitCode).toBe(0);
    expect((await world.run(['status'])).exitCode).toBe(0);
  });

  it.each([
    ['cut off', async (path: string) => truncate(path, (await stat(path)).size - 40)],
    ['changed', (path: string) => change(path, 5_000)],
    ['changed in what it says of itself', (path: string) => change(path, 40)],
    ['made longer', async (path: string) => writeFile(path, 'x', { flag: 'a' })],
    ['of another program', async (path: string) => writeFile(path, 'x'.repeat(9_000))],
  ])('refuse a backup that was %s, and change nothing', async (_, spoil) => {
    const world = await open();
    await world.run(['sync']);
    await world.run(['backup', 'one.backup']);
    await spoil(world.path('one.backup'));
    const files = await filesOf(world);
    for (const how of [['--check'], ['--yes']]) {
      const { exitCode } = await world.run(['restore', 'one.backup', ...how]);
      expect(exitCode).not.toBe(0);
    }
    expect(await filesOf(world)).toEqual(files);
  });

  it('refuse a backup whose key is not here, and make no key', async () => {
    const world = await open();
    await world.run(['sync']);
    await world.run(['backup', 'one.backup']);
    const elsewhere = await open();
    await writeFile(elsewhere.path('one.backup'), await readFile(world.path('one.backup')));
    const { exitCode, stderr } = await elsewhere.run(['restore', 'one.backup', '--yes']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('There is no key')]);
    expect(await filesOf(elsewhere)).toEqual(['one.backup']);
    await elsewhere.run(['status']);
    const other = await elsewhere.run(['restore', 'one.backup', '--yes']);
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      expect.stringContaining('is not available here'),
    ]);
  });

  it('write over no file, and hold neither ids nor keys in clear', async () => {
    const world = await open();
    await world.run(['sync']);
    await world.run(['backup', 'one.backup']);
    expect((await world.run(['backup', 'one.backup'])).exitCode).toBe(2);
    const text = await readFile(world.path('one.backup'), 'latin1');
    expect(text).not.toContain(await enhancedId(world));
    expect(text).not.toContain('SQLite format');
  });

  it('erase no contact whose erasure cannot be noted', async () => {
    const world = await open();
    await world.run(['sync']);
    const id = await enhancedId(world);
    const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
    await writeFile(world.path('donor-sync.yaml'), `erasureLog: "."\n${settings}`);
    const { exitCode, stderr } = await world.run(['forget', id, '--yes']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('erasure log')]);
    expect(await databaseText(world)).toContain(id);
  });
});

async function change(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

describeOn('postgres', 'donor-sync backup and restore on Postgres', () => {
  it('name the tools of the server', async () => {
    const world = await open({ databaseUrl: await freshPostgresUrl() });
    const { exitCode, stderr } = await world.run(['backup', 'one.backup']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('pg_dump')]);
    const restore = await world.run(['restore', 'one.backup']);
    expect([restore.exitCode, restore.stderr]).toEqual([2, expect.stringContaining('pg_restore')]);
  });

  it('have a log of erasures next to the settings if they name none', async () => {
    const world = await open({ databaseUrl: await freshPostgresUrl() });
    await world.run(['sync']);
    await world.run(['forget', await enhancedId(world), '--yes']);
    expect(await readFile(world.path('donor-sync.erasures'), 'utf8')).toContain('"erased"');
    const { restored } = await world.runJson(['restore', '--put-back', '--yes'], restoredSchema);
    expect(restored.blocked).toBe(1);
    expect((await world.run(['audit', 'verify'])).exitCode).toBe(0);
  });

  it('have doctor say that another host notes writes in a log of its own, until both share one', async () => {
    const databaseUrl = await freshPostgresUrl();
    const here = await open({ databaseUrl });
    const settings = await readFile(here.path('donor-sync.yaml'), 'utf8');
    await here.run(['sync']);
    expect((await here.run(['doctor'])).stdout).toMatch(/✓ log of writes/);
    await mkdir(here.path('other-host'));
    const shared = `erasureLog: ${here.path('shared.erasures')}\n`;
    await writeFile(here.path('other-host/donor-sync.yaml'), settings);
    const there = await here.run(['doctor', '--config', here.path('other-host/donor-sync.yaml')]);
    expect(there.exitCode).toBe(2);
    expect(there.stdout).toMatch(/✗ log of writes: .*lacks (\d+) of the last \1 writes/);
    expect(there.stdout).toContain('`erasureLog` that all of them share');
    for (const month of await readdir(here.path(''))) {
      if (!month.includes('.writes-')) continue;
      const name = month.replace('donor-sync.erasures', 'shared.erasures');
      await copyFile(here.path(month), here.path(name));
    }
    await writeFile(here.path('other-host/donor-sync.yaml'), shared + settings);
    const after = await here.run(['doctor', '--config', here.path('other-host/donor-sync.yaml')]);
    expect(after.stdout).toMatch(/✓ log of writes/);
  });

  it('keep after a move what the logs of the file say, and the log in its folders of backups', async () => {
    const world = await open({ databaseUrl: 'sqlite:store.db' });
    expect((await world.run(['sync'])).exitCode).toBe(0);
    await mkdir(world.path('backups'));
    expect((await world.run(['backup', 'backups/one.backup'])).exitCode).toBe(0);
    const target = await freshPostgresUrl();
    await mkdir(world.path('donor-sync.erasures'));
    const refused = await world.run(['move', '--to', target, '--json']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stdout).toContain('"move_logs_unusable"');
    expect((await world.run(['status'])).exitCode).toBe(0);
    await rmdir(world.path('donor-sync.erasures'));
    const moved = await world.run(['move', '--to', target]);
    expect(moved.exitCode, moved.stderr).toBe(0);
    expect(moved.stdout).toContain(`spendingJournal: ${world.path('store.db.spending')}`);
    const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
    await writeFile(world.path('donor-sync.yaml'), settings.replace('sqlite:store.db', target));
    // Without the lines about writes, an erasure after a restore would not know which fields to clear.
    expect((await world.run(['doctor'])).stdout).toMatch(/✓ log of writes/);
    expect((await world.run(['forget', await enhancedId(world), '--yes'])).exitCode).toBe(0);
    const inFolder = await readFile(world.path('backups/donor-sync.erasures'), 'utf8');
    expect(inFolder).toContain('"erased"');
  });

  it('hold a database that was put back by another program, and erase again', async () => {
    const world = await open({ databaseUrl: await freshPostgresUrl() });
    const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
    await writeFile(world.path('donor-sync.yaml'), `erasureLog: erasures.log\n${settings}`);
    await world.saveRows((await world.rows()).slice(0, 6));
    await world.run(['sync']);
    const id = await enhancedId(world);
    await world.run(['forget', id, '--yes']);
    const { restored } = await world.runJson(['restore', '--put-back', '--yes'], restoredSchema);
    expect(restored).toMatchObject({ blocked: 1, held: ['riverside'] });
    await world.saveRows([...(await world.rows()), { Id: 'new', First: 'A', Last: 'B' }]);
    const spent = await world.spent();
    expect((await world.run(['sync'])).exitCode).toBe(3);
    expect(await world.spent()).toBe(spent);
    await world.run(['restore', '--agree', 'riverside', '--yes']);
    // Without a spending journal, the product does not know whether it paid for the new contact after the backup.
    await world.run(['sync']);
    expect(await world.spent()).toBe(spent);
    const { batches } = await world.runJson(['holds'], holdsSchema);
    expect(batches).toMatchObject([{ kind: 'paid_since_backup', count: 1 }]);
    const approved = await world.run(['holds', 'approve', '--batch', batches[0]?.id ?? '']);
    expect([approved.exitCode, approved.stderr]).toEqual([0, '']);
    await world.run(['sync']);
    expect(await world.spent()).toBe(spent + 1);
  });

  it('take over what was paid for since, by the journal that the settings name', async () => {
    const [databaseUrl, another] = [await freshPostgresUrl(), await freshPostgresUrl()];
    const world = await open({ databaseUrl });
    const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
    const journaled = `spendingJournal: spending.journal\n${settings}`;
    await writeFile(world.path('donor-sync.yaml'), journaled);
    const rows = await world.rows();
    await world.saveRows(rows.slice(0, 6));
    expect((await world.run(['sync'])).exitCode).toBe(0);
    const old = new URL(databaseUrl);
    old.pathname += '_old';
    await copyServerDatabase(another, { from: new URL(databaseUrl), to: old });
    await world.saveRows(rows);
    expect((await world.run(['sync'])).exitCode).toBe(0);
    expect(await world.spent()).toBe(12);
    await writeFile(world.path('donor-sync.yaml'), journaled.replace(databaseUrl, old.href));
    await world.saveRows(rows);
    const restored = await world.runJson(['restore', '--put-back', '--yes'], spendingSchema);
    expect(restored.restored.spending).toEqual({ isJournaled: true, contacts: 6, credits: 6 });
    expect((await world.run(['restore', '--agree', 'riverside', '--yes'])).exitCode).toBe(0);
    expect((await world.run(['sync', '--full'])).exitCode).toBe(0);
    expect(await world.spent()).toBe(12);
    expect((await world.rows()).filter((row) => row['Donor ID']).length).toBeGreaterThan(6);
  });
});

/**
 * Copies a server's database, as if a snapshot of the server were restored. `over` is a further database on the
 * server.
 */
async function copyServerDatabase(over: string, { from, to }: { from: URL; to: URL }) {
  const { db, close } = await openDatabase<Tables>(over);
  const [source, target] = [from, to].map(({ pathname }) => sql.id(pathname.slice(1)));
  await sql`create database ${target} template ${source}`.execute(db);
  await close();
}
