import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { generateKey } from '../../../src/database/encryption/key-ring.ts';
import { requireHome } from '../../../src/database/store-moves.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { applyCommand } from '../../../src/interfaces/cli/commands/apply.ts';
import { migrateCommand } from '../../../src/interfaces/cli/commands/migrate.ts';
import { describeOn, freshPostgresUrl } from '../../helpers/test-databases.ts';
import { fillTables, rowsOf, tablesOf } from '../../helpers/whole-store.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { runCommand } from './run-command.ts';

const KILLS = 4;

/** The program copies this number of rows in a few seconds. */
const ROWS = 1_200;

/** The program needs half a second to start before it moves any data. */
const FIRST_KILL_MS = 600;
const LAST_KILL_MS = 2_000;

const env = { PARTNER_API_KEY: 'key', DONOR_SYNC_SECRET_KEY: generateKey('2026') };

let folder = '';
afterEach(() => rm(folder, { recursive: true }));

describeOn('postgres', 'a move that is killed', () => {
  it('at random moments leaves never two databases in use, and loses nothing', async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-move-killed-'));
    const [source, target] = [`sqlite:${join(folder, 'data.db')}`, await freshPostgresUrl()];
    const settings = join(folder, 'donor-sync.yaml');
    await writeFile(settings, aSettingsFile({ database: source }));
    await runCommand(migrateCommand, ['migrate'], { cwd: folder, env });
    const applied = join(folder, 'hillside.yaml');
    await writeFile(applied, aSettingsFile({}).replace('id: riverside', 'id: hillside'));
    await runCommand(applyCommand, ['apply', applied], { cwd: folder, env });
    await onDatabase(source, (db) => fillTables(db, ROWS));
    const before = await contents(source);
    let kills = 0;
    for (;;) {
      const code = await moveOrKill(settings, target, kills < KILLS);
      if (code === 'killed') kills += 1;
      const live = [await isInUse(source), await isInUse(target)];
      // A target without rows counts as a new database, so the program does not mention it.
      expect(live, `after ${kills} kills`).not.toEqual([true, true]);
      if (code === 'done') break;
    }
    expect(kills).toBeGreaterThan(0);
    expect([await isInUse(source), await isInUse(target)]).toEqual([false, true]);
    const after = await contents(source);
    expect(await contents(target)).toEqual(after);
    const isAudit = (table: string) => table.startsWith('audit_');
    for (const [table, rows] of Object.entries(before)) {
      if (!isAudit(table)) expect(after[table], table).toEqual(rows);
    }
    // Even after several kills, the move adds only one entry about the move and the head of the chain.
    expect(after['audit_entries']).toHaveLength((before['audit_entries']?.length ?? 0) + 1);
  });
});

async function moveOrKill(settings: string, to: string, isToKill: boolean) {
  const child = spawn(
    process.execPath,
    ['src/main.ts', 'move', '--json', '--config', settings, '--to', to],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (d) => output.push(`${d}`));
  const exited = once(child, 'exit');
  const spread = LAST_KILL_MS - FIRST_KILL_MS;
  if (isToKill) {
    await Promise.race([sleep(FIRST_KILL_MS + Math.random() * spread), exited]);
    child.kill('SIGKILL');
  }
  const [code, signal] = await exited;
  if (signal === 'SIGKILL') return 'killed';
  if (code !== 0) throw new Error(`The move ended with code ${code}: ${output.join('')}`);
  return 'done';
}

/** Returns true if a process can use the store at this address. */
function isInUse(url: string): Promise<boolean> {
  return onDatabase(url, async (db) => {
    const tables = await db.introspection.getTables();
    if (!tables.some(({ name }) => name === 'secrets')) return false;
    const secret = await db.selectFrom('secrets').select('name').limit(1).execute();
    const isHome = await requireHome(db).then(
      () => true,
      () => false,
    );
    return isHome && secret.length > 0;
  });
}

function contents(url: string): Promise<Record<string, string[]>> {
  return onDatabase(url, async (db) => {
    const tables: Record<string, string[]> = {};
    for (const table of await tablesOf(db)) tables[table] = await rowsOf(db, table);
    return tables;
  });
}

async function onDatabase<Result>(
  url: string,
  work: (db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase<Tables>(url);
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}
