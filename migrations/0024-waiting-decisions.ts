/**
 * Decisions that can still be taken back, an index for the queue of what waits for a person, and one for the strongest paths;
 * `src/store/engine/service-tables.ts` says what each column means.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('waiting_decisions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('about', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('opened_until', 'bigint')
    .addColumn('decision', 'text', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('counts_at', 'bigint', (c) => c.notNull())
    .addColumn('claimed_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('one_waiting_decision_for_each_subject')
    .unique()
    .on('waiting_decisions')
    .columns(['integration_id', 'about', 'subject'])
    .execute();
  await db.schema
    .createIndex('open_holds_by_age')
    .on('holds')
    .columns(['opened_at', 'id'])
    .where(sql.ref('decision'), 'is', null)
    .execute();
  await db.schema
    .createIndex('warm_paths_by_strength')
    .on('warm_paths')
    .columns(['integration_id', 'strength_millionths', 'crm_id'])
    .where(sql.ref('introducer_id'), 'is not', null)
    .execute();
}
