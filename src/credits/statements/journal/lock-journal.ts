import { isPostgres } from '../../../database/database-time.ts';
import { FINGERPRINT_KEY } from '../../../database/encryption/fingerprint.ts';
import type { Trx } from '../../../database/tables/tables.ts';

/**
 * Keeps other processes from rewriting the spending journal until the transaction ends. SQLite does not need this,
 * because only one transaction writes at a time.
 */
export async function lockJournal(trx: Trx): Promise<void> {
  await trx
    .selectFrom('secrets')
    .select('name')
    .where('name', '=', FINGERPRINT_KEY)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
}
