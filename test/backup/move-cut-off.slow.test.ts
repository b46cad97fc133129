/** Tests the move of a database while its process dies between two of the statements of the move. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type MovePlace, moveStore } from '../../src/backup/move-store.ts';
import { type OpenDatabase, openDatabase } from '../../src/database/database.ts';
import { hasTable } from '../../src/database/has-table.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import { requireHome } from '../../src/database/store-moves.ts';
import type { Tables } from '../../src/database/tables/tables.ts';
import { describeOn, freshPostgresUrl } from '../helpers/test-databases.ts';
import { fillTables, rowsOf, tablesOf } from '../helpers/whole-store.ts';

/** This error simulates a dead process, which sends no further statements. */
class CutOff extends Error {}

/** Lets the given number of statements pass, and then throws `CutOff`. */
function cutAfter(statements: number): KyselyPlugin {
  let left = statements;
  return {
    transformQuery({ node }) {
      left -= 1;
      if (left < 0) throw new CutOff();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

const DEPS = { now: () => 1, onTable: () => undefined, record: async () => undefined };

describeOn('postgres', 'a move that is cut off', () => {
  let folder = '';
  let source: OpenDatabase<Tables>;
  let target: OpenDatabase<Tables>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-move-cut-'));
    source = await openFilled('data.db', 3);
    target = await openDatabase<Tables>(await freshPostgresUrl());
  });
  afterEach(async () => {
    await Promise.all([source.close(), target.close()]);
    await rm(folder, { recursive: true });
  });

  it('between any two statements leaves no database that would be taken for a new one', async () => {
    const isCut = { begun: 0, marked: 0 };
    for (;;) {
      // Stops the move at each statement up to the mark. After the mark, stops at every tenth statement, because the
      // move repeats later work as a whole.
      const statements = isCut.marked === 0 ? isCut.begun : 1 + 10 * isCut.marked;
      const ended = await move(place(target, 'target', cutAfter(statements)));
      if (ended) break;
      const hasStore = await hasTable(target.db, 'contacts');
      if (hasStore) {
        isCut.marked += 1;
        await expect(requireHome(target.db)).rejects.toMatchObject({ code: 'move_unfinished' });
      } else isCut.begun += 1;
    }
    expect(isCut.begun).toBeGreaterThan(3);
    expect(isCut.marked).toBeGreaterThan(3);
    await expectMoved();
  });

  it('between any two statements of a new beginning leaves nothing of the former one', async () => {
    await moveAnotherFile();
    await target.db.updateTable('moves').set({ done_at: null }).execute();
    const [{ id: former } = { id: '' }] = await target.db.selectFrom('moves').selectAll().execute();
    await expect(move(place(target, 'target'))).rejects.toMatchObject({ code: 'target_not_empty' });
    for (let statements = 0; ; statements += 1) {
      await move(place(target, 'target', cutAfter(statements)), true);
      await expect(requireHome(source.db)).resolves.toBeUndefined();
      await expect(requireHome(target.db)).rejects.toMatchObject({ code: 'move_unfinished' });
      const [{ id } = { id: '' }] = await target.db.selectFrom('moves').selectAll().execute();
      if (id !== former) break;
    }
    expect(await move(place(target, 'target'))).toBe(true);
    await expectMoved();
  });

  it('is not begun anew in a database that is in use', async () => {
    await moveAnotherFile();
    const before = await rowsOf(target.db, 'contacts');
    const again = move(place(target, 'target'), true);
    await expect(again).rejects.toMatchObject({ code: 'target_not_empty' });
    expect(await rowsOf(target.db, 'contacts')).toEqual(before);
    await expect(requireHome(target.db)).resolves.toBeUndefined();
  });

  async function openFilled(name: string, rows: number): Promise<OpenDatabase<Tables>> {
    const opened = await openDatabase<Tables>(`sqlite:${join(folder, name)}`);
    await migrateToLatest(opened.db);
    await fillTables(opened.db, rows);
    await opened.db.deleteFrom('moves').execute();
    return opened;
  }

  async function moveAnotherFile(): Promise<void> {
    const another = await openFilled('another.db', 2);
    await moveStore(place(another, 'another'), place(target, 'target'), DEPS);
    await another.close();
  }

  async function move(to: MovePlace, startsOver = false): Promise<boolean> {
    try {
      await moveStore(place(source, 'source'), to, { ...DEPS, startsOver });
      return true;
    } catch (error) {
      if (isCutOff(error)) return false;
      throw error;
    }
  }

  async function expectMoved(): Promise<void> {
    await expect(requireHome(source.db)).rejects.toMatchObject({ code: 'store_moved' });
    await expect(requireHome(target.db)).resolves.toBeUndefined();
    for (const table of await tablesOf(source.db)) {
      expect(await rowsOf(target.db, table), table).toEqual(await rowsOf(source.db, table));
    }
  }
});

function place(
  { db, requireInPlace }: OpenDatabase<Tables>,
  name: string,
  ...plugins: KyselyPlugin[]
): MovePlace {
  return { db: plugins.reduce((all, each) => all.withPlugin(each), db), name, requireInPlace };
}

/** Returns true for the error that stopped the move. The migrator or the database's guard can wrap this error. */
function isCutOff(error: unknown): boolean {
  if (error instanceof CutOff) return true;
  return error instanceof Error && error.cause !== undefined && isCutOff(error.cause);
}
