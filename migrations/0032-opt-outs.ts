/** Whether a contact had opted out when it was last read; `src/store/engine/tables.ts` says what it is for. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('contacts')
    .addColumn('has_opted_out', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  // Who was read again in the same run, and had opted in, keeps that outcome.
  await sql`update contacts set has_opted_out = 1
    where outcome_reason = 'opted_out' and eligible = 0`.execute(db);
}
