/** When webhooks called and what they ask for may begin; `src/store/engine/service-tables.ts` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['called_at', 'opens_at']) {
    await db.schema
      .alterTable('hooks')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await db.schema
    .alterTable('run_requests')
    .addColumn('not_before', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
}
