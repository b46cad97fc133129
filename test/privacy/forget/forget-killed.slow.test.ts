/** Kills `forget` before each statement that it sends to the store, on SQLite and on Postgres. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { eraseAgain } from '../../../src/privacy/statements/erase-again.ts';
import { openErasureLog } from '../../../src/privacy/statements/erasure-log.ts';
import { insertMarked, MARKED, tablesWith, tablesWithIds } from '../../contacts/marked-rows.ts';
import { INTEGRATION, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const PROGRAM = join(import.meta.dirname, '../../database/programs', 'forgetting.ts');

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newLog(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-forget-'));
  folders.push(folder);
  return join(folder, 'erasures');
}

interface End {
  signal: string | null;
  stdout: string;
}

/**
 * Erases the contact in a process that is killed before this statement. The number 0 means that the process is not
 * killed.
 */
function forget({ url }: StoreWorld, log: string, deadly: number): Promise<End> {
  const args = [PROGRAM, url, INTEGRATION, MARKED, log, String(deadly)];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      const signal = error?.signal ?? null;
      if (error !== null && signal === null) reject(new Error(stderr));
      else resolve({ signal, stdout });
    });
  });
}

/** Repeats the erasure that the log contains, as the product does after it has restored a backup. */
async function eraseByLog({ store }: StoreWorld, log: string): Promise<void> {
  await eraseAgain(store, await openErasureLog(log).read(), null);
}

describeEachDatabase('forget that is killed at any statement', (open, kind) => {
  const createWorld = storeWorlds(open);

  async function marked(): Promise<StoreWorld> {
    const world = await createWorld();
    for (const table of await tablesWithIds(world)) await insertMarked(world, table);
    return world;
  }

  it('destroys the kept profile with its key and all else, or nothing, and ends when it is repeated', async () => {
    const whole = await marked();
    const { stdout } = await forget(whole, await newLog(), 0);
    const statements = Number(stdout);
    expect(statements).toBeGreaterThan(20);
    expect(await tablesWith(whole, MARKED)).toEqual([]);
    const outcomes = new Set<string>();
    for (let at = 1; at <= statements; at += 1) {
      const world = await marked();
      const before = await tablesWith(world, MARKED);
      expect(before).toContain('kept_profiles');
      const log = await newLog();
      expect([at, (await forget(world, log, at)).signal]).toEqual([at, 'SIGKILL']);
      const left = await tablesWith(world, MARKED);
      const blocks = await world.db.selectFrom('forgotten').select('state').execute();
      const isErased = blocks.some(({ state }) => state === 'erased');
      // The erasure is complete or has no effect. No key may remain after its profile is deleted, and no profile may
      // remain after a reported erasure.
      expect([at, left]).toEqual([at, isErased ? [] : before]);
      outcomes.add(isErased ? 'erased' : 'whole');
      const entries = await openErasureLog(log).read();
      if (entries.some(({ what }) => what === 'erased')) {
        // Whatever happened to the process, restoring an earlier backup now does not bring the profile back.
        await eraseByLog(world, log);
        expect([at, await tablesWith(world, MARKED)]).toEqual([at, []]);
      }
      await eraseContact(world.store, INTEGRATION, MARKED);
      expect([at, await tablesWith(world, MARKED)]).toEqual([at, []]);
    }
    // On Postgres, the commit is the last step. On SQLite, the file is overwritten after the commit.
    expect([...outcomes].sort()).toEqual(kind === 'sqlite' ? ['erased', 'whole'] : ['whole']);
  }, 900_000);

  it('is done again once a backup of before is put back', async () => {
    const world = await marked();
    const log = await newLog();
    await forget(world, log, 0);
    const restored = await marked();
    expect(await tablesWith(restored, MARKED)).toContain('kept_profiles');
    await eraseByLog(restored, log);
    expect(await tablesWith(restored, MARKED)).toEqual([]);
    const kept = await restored.db.selectFrom('kept_profiles').selectAll().execute();
    expect(kept).toEqual([]);
  }, 120_000);
});
