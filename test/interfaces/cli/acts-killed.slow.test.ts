/**
 * Sends SIGKILL to `about`, `forget` and `erase` at random moments, on both databases. A repeated command must have
 * the same result as an uninterrupted command.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { everything } from '../../database/store-world.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { describeOn, freshPostgresUrl } from '../../helpers/test-databases.ts';
import { databaseText, forgetSchema, ourColumns } from './forgetting.ts';

const open = closedAfterTest(openCliWorld);
const KILLS = 4;

interface Killer {
  kills: number;
  /** Runs a command. Kills the command at a random moment that is earlier than its shortest duration so far. */
  runOrKill(args: string[]): Promise<void>;
}

/** Runs a command once until it ends, to measure its duration. */
async function createKiller({ start }: CliWorld, first: string[]): Promise<Killer> {
  let tookMs = Number.POSITIVE_INFINITY;
  const run = async (args: string[], share: number | null): Promise<boolean> => {
    const begun = performance.now();
    const { child, ended } = await start(args);
    await (share === null ? ended : Promise.race([ended, sleep(tookMs * share)]));
    child.kill('SIGKILL');
    const isKilled = (await ended).exitCode === null;
    if (!isKilled) tookMs = Math.min(tookMs, performance.now() - begun);
    return isKilled;
  };
  await run(first, null);
  const killer: Killer = {
    kills: 0,
    async runOrKill(args) {
      if (await run(args, 0.3 + Math.random() * 0.7)) killer.kills += 1;
    },
  };
  return killer;
}

/** Returns all rows of the product's tables, except the rows that queues and runs add. */
async function textOf(url: string): Promise<string> {
  const { db, close } = await openDatabase<Tables>(url);
  const tables = await everything(db);
  await close();
  return JSON.stringify(tables);
}

async function requireWholeAudit(world: CliWorld): Promise<void> {
  expect((await world.run(['audit', 'verify'])).exitCode).toBe(0);
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describeOn(kind, `a process that is killed at any moment (${kind})`, () => {
    /** Opens a folder with synced clients that have distinct ids. */
    async function aPlace(integrations: readonly string[]) {
      const ids: Record<string, string[]> = {};
      const databaseUrl = kind === 'sqlite' ? undefined : await freshPostgresUrl();
      const world = await open({ integrations, people: 60, databaseUrl });
      for (const name of integrations) {
        const rows = await world.rows(`${name}.csv`);
        const own = rows.map((row) => ({ ...row, Id: `${name}-${row['Id']}` }));
        await world.saveRows(own, `${name}.csv`);
        ids[name] = own.map((row) => row.Id);
      }
      await world.run(['sync', '--all']);
      return { world, ids, url: databaseUrl ?? `sqlite:${world.path('store.db')}` };
    }

    it('of erase, goes on when it is repeated, and leaves no id', async () => {
      const { world, ids, url } = await aPlace(['riverside', 'harbor', 'hillside']);
      // Compares whole IDs. A client's name remains in the records, and a fingerprint next to it can start with a
      // hyphen.
      const gone = [...(ids['harbor'] ?? []), ...(ids['hillside'] ?? [])];
      const idsIn = (text: string) => gone.filter((id) => text.includes(id));
      expect(idsIn(await textOf(url))).toEqual(gone);
      const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
      const alone = settings.slice(0, settings.indexOf('  - id: harbor'));
      await writeFile(world.path('donor-sync.yaml'), alone);
      const killer = await createKiller(world, ['erase', 'hillside', '--yes']);
      const kept = /riverside-/g;
      const before = (await textOf(url)).match(kept)?.length;
      for (let kill = 0; kill < KILLS; kill += 1) {
        await killer.runOrKill(['erase', 'harbor', '--yes']);
        await requireWholeAudit(world);
      }
      expect((await world.run(['erase', 'harbor', '--yes'])).exitCode).toBe(0);
      const after = await textOf(url);
      expect(idsIn(after)).toEqual([]);
      expect(after.match(kept)?.length).toBe(before);
      if (kind === 'sqlite') expect(idsIn(await databaseText(world))).toEqual([]);
      expect((await world.run(['sync', '--full'])).exitCode).toBe(0);
      await requireWholeAudit(world);
      expect(killer.kills).toBeGreaterThan(0);
    }, 180_000);

    it('of forget, ends with a whole receipt when it is repeated', async () => {
      const { world, url } = await aPlace(['riverside']);
      const ids = (await world.rows()).flatMap((row) => (row['Donor ID'] ? [row['Id'] ?? ''] : []));
      const [measured = '', ...erased] = ids.slice(0, KILLS + 1);
      const forget = (id: string) => ['forget', id, '--also-in-crm', '--yes'];
      const killer = await createKiller(world, forget(measured));
      for (const id of erased) {
        await killer.runOrKill(forget(id));
        await requireWholeAudit(world);
        const { receipt } = (await world.runJson(forget(id), forgetSchema)).forget;
        expect(receipt).toMatchObject({ complete: true, pending: [] });
        expect(await ourColumns(world, id)).toEqual([]);
      }
      const spent = await world.spent();
      await world.run(['sync', '--full']);
      expect(await world.spent()).toBe(spent);
      const text = await textOf(url);
      for (const id of [measured, ...erased]) expect(text).not.toMatch(new RegExp(`\\b${id}\\b`));
      await requireWholeAudit(world);
      expect(killer.kills).toBeGreaterThan(0);
    }, 180_000);

    it('of about, changes nothing but that it was asked', async () => {
      const { world, url } = await aPlace(['riverside']);
      const [row] = await world.rows();
      const about = ['about', row?.['Id'] ?? ''];
      const killer = await createKiller(world, about);
      const rowsOf = async () => {
        const { db, close } = await openDatabase<Tables>(url);
        const { audit_entries: entries, audit_end: _, ...others } = await everything(db);
        await close();
        return { entries: entries?.length ?? 0, others };
      };
      const before = await rowsOf();
      for (let kill = 0; kill < KILLS; kill += 1) {
        await killer.runOrKill(about);
        await requireWholeAudit(world);
      }
      const after = await rowsOf();
      expect(Object.keys(after.others)).toEqual(Object.keys(before.others));
      for (const [table, rows] of Object.entries(before.others)) {
        if (!/^audit_/.test(table)) expect(after.others[table], table).toEqual(rows);
      }
      expect(after.entries - before.entries).toBeLessThanOrEqual(KILLS);
      expect((await world.run(about)).stdout).toContain('How long');
    }, 120_000);
  });
}
