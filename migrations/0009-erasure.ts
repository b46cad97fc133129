/** What proves an erasure and makes it last; `ForgottenTable` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['state', 'person', 'receipt'] as const) {
    await db.schema.alterTable('forgotten').addColumn(column, 'text').execute();
  }
  await db.schema.alterTable('forgotten').addColumn('everywhere', 'integer').execute();
  await db.schema.alterTable('forgotten').addColumn('erased_at', 'bigint').execute();
}
