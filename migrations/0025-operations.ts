/**
 * What was spent by day and by month, the last calls of webhooks, and the audit by action; `src/store/engine/service-tables.ts` says
 * what each column means. What is on record of submissions, networks and runs is added up once.
 */
import { type Kysely, PostgresAdapter, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('credit_spans')
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('span', 'text', (c) => c.notNull())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('enhancements', 'bigint', (c) => c.notNull())
    .addColumn('networks', 'bigint', (c) => c.notNull())
    .addColumn('written', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('credit_spans_key', ['integration_id', 'span', 'at'])
    .execute();
  await db.schema
    .createIndex('credit_spans_by_month')
    .on('credit_spans')
    .columns(['at', 'integration_id', 'enhancements', 'networks', 'written'])
    .where(sql.ref('span'), '=', 'month')
    .execute();
  await db.schema
    .createTable('hook_calls')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addColumn('times', 'integer', (c) => c.notNull())
    .addColumn('answer', 'text', (c) => c.notNull())
    .addColumn('contacts', 'integer', (c) => c.notNull())
    .addColumn('run_id', 'text')
    .execute();
  await db.schema
    .createIndex('hook_calls_by_integration')
    .on('hook_calls')
    .columns(['integration_id', 'last_at'])
    .execute();
  await db.schema
    .createIndex('audit_entries_by_action')
    .on('audit_entries')
    .columns(['action', 'seq'])
    .execute();
  await addUp(db);
}

/** `2026-11-22` and `2026-11` of an instant in epoch ms, in UTC. */
function spansOf(isPostgres: boolean, column: string) {
  const at = sql.ref(column);
  return isPostgres
    ? {
        day: sql`to_char(to_timestamp(${at} / 1000) at time zone 'UTC', 'YYYY-MM-DD')`,
        month: sql`to_char(to_timestamp(${at} / 1000) at time zone 'UTC', 'YYYY-MM')`,
      }
    : {
        day: sql`strftime('%Y-%m-%d', ${at} / 1000, 'unixepoch')`,
        month: sql`strftime('%Y-%m', ${at} / 1000, 'unixepoch')`,
      };
}

/** Written: of runs whose rows are still there. The place of the outcome was 4 when this was written. */
async function addUp(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const intended = spansOf(isPostgres, 'intended_at');
  const started = spansOf(isPostgres, 'started_at');
  for (const span of ['day', 'month'] as const) {
    for (const owner of [sql`integration_id`, sql`''`]) {
      await sql`
        insert into credit_spans (integration_id, span, at, enhancements, networks, written)
        select integration_id, ${sql.lit(span)}, at, sum(enhancements), sum(networks), sum(written)
        from (
          select ${owner} as integration_id, ${intended[span]} as at,
            coalesce(charged, persons) as enhancements, 0 as networks, 0 as written
          from submissions
          union all
          select ${owner}, ${intended[span]}, 0, coalesce(charged, donors), 0 from network_adds
          union all
          select ${owner}, ${started[span]}, 0, 0, count(*) from runs
          inner join run_rows on run_rows.run_id = runs.id and run_rows.place = 4
          group by runs.id, integration_id, started_at
        ) as spent
        group by integration_id, at`.execute(db);
    }
  }
}
