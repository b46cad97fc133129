/** Requests that go before others; `src/store/engine/service-tables.ts` says what the column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('run_requests')
    .addColumn('urgent', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
