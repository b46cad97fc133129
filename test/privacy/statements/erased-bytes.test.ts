import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { overwriteErased } from '../../../src/database/sqlite/erased-bytes.ts';
import { INTEGRATION, storeWorlds } from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { leaveTraces, MARKED, tablesWithTraces } from './traces.ts';

describeEachDatabase('an erasure', (open, kind) => {
  const createWorld = storeWorlds(open);

  it('leaves nothing in the file or its log either, once the file is rewritten', async () => {
    const world = await createWorld();
    await leaveTraces(world);
    await eraseContact(world.store, INTEGRATION, MARKED);
    await overwriteErased(world.store.connection);
    if (kind === 'sqlite') {
      const path = world.url.slice('sqlite:'.length);
      expect(await readFile(path, 'latin1')).not.toContain(MARKED);
      expect(await readFile(`${path}-wal`, 'latin1')).toBe('');
    }
    expect(await tablesWithTraces(world)).toEqual([]);
  });

  if (kind === 'sqlite') {
    it('takes what stands between the rows out of the file, too', async () => {
      const world = await createWorld();
      await leaveTraces(world);
      const { connection } = world.store;
      expect(await overwriteErased(connection)).toBe(true);
      const path = world.url.slice('sqlite:'.length);
      // The change leaves copies of rows behind, as SQLite does when it moves rows to a different page.
      const bytes = await readFile(path);
      bytes.write(LEFT_BEHIND, gapOf(bytes), 'latin1');
      await writeFile(path, bytes);
      expect(await overwriteErased(connection)).toBe(true);
      expect(await readFile(path, 'latin1')).not.toContain(LEFT_BEHIND);
      expect((await tablesWithTraces(world)).length).toBeGreaterThan(0);
    });
  }
});

const LEFT_BEHIND = 'a donor who was erased';
const PAGE_BYTES = 4_096;
const TABLE_LEAF = 13;

/** Returns where a page has free space between its list of rows and the first row (file format, 1.6). */
function gapOf(file: Buffer): number {
  for (let page = PAGE_BYTES; page < file.length; page += PAGE_BYTES) {
    const listEnd = 8 + 2 * file.readUInt16BE(page + 3);
    const firstRow = file.readUInt16BE(page + 5);
    if (file[page] === TABLE_LEAF && firstRow - listEnd > LEFT_BEHIND.length) return page + listEnd;
  }
  throw new Error('no page has room');
}
