/** Runs a process that reads a counter and increases it. Each increase is a separate transaction. */
import { openDatabase } from '../../../src/database/database.ts';
import type { TwoTables } from '../two-tables.ts';

const [url = '', times = ''] = process.argv.slice(2);
const { db, close } = await openDatabase<TwoTables>(url);
for (let turn = 0; turn < Number(times); turn++) {
  await db.transaction().execute(async (trx) => {
    const { size } = await trx.selectFrom('notes').select('size').executeTakeFirstOrThrow();
    await trx
      .updateTable('notes')
      .set({ size: size + 1 })
      .execute();
  });
}
await close();
