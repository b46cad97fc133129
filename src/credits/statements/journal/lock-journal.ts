import { isPostgres } from '../../../database/database-time.ts';
import { FINGERPRINT_KEY } from '../../../database/encryption/fingerprint.ts';
import type { Trx } from '../../../database/tables/tables.ts';

/**
 * Prevents other processes from rewriting the journal during the transaction. SQLite needs no lock, because it allows
 * only one writing transaction at a time.
 */
export async function lockJournal(trx: Trx): Promise<void> {
  await trx
    .selectFrom('secrets')
    .select('name')
    .where('name', '=', FINGERPRINT_KEY)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
}
