/** A process that is killed after a migration has created one of its two tables. */
import { openDatabase } from '../../../src/database/database.ts';
import { migrateToLatest } from '../../../src/database/migrate.ts';
import { TWO_TABLES } from '../two-tables.ts';

const [url = ''] = process.argv.slice(2);
const { db } = await openDatabase(url);
await migrateToLatest(db, {
  '0001-two-tables': {
    hash: TWO_TABLES['0001-two-tables'].hash,
    async up(trx) {
      await TWO_TABLES['0001-two-tables'].up(trx);
      process.kill(process.pid, 'SIGKILL');
    },
  },
});
