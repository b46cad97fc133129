/** What the same person needs to be paid for once; `src/store/credits/shares.ts` says how. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('person', 'text').execute();
  await db.schema.alterTable('jobs').addColumn('shared_from', 'text').execute();
  await db.schema
    .createIndex('jobs_by_person')
    .on('jobs')
    .columns(['person', 'submitted_at'])
    .execute();
  await db.schema
    .alterTable('runs')
    .addColumn('shared_count', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
