/** What a run looks at; `RunsTable` in `src/store/engine/tables.ts` says what each column means. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('runs').addColumn('contact', 'text').execute();
  await db.schema.alterTable('runs').addColumn('full', 'integer').execute();
}
