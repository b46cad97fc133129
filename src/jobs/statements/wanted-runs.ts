/** Finds integrations with requested runs, for the engines. */
import { type SqlBool, sql } from 'kysely';
import type { AskedRun } from '../../core/run.ts';
import type { Reader } from '../../database/reader.ts';

/**
 * Returns integrations that have a requested run but no open job in a pg-boss queue. The key of a pg-boss job
 * identifies the job's integration.
 */
export async function listWithoutJob(
  reader: Reader,
  { table, queue }: { table: string; queue: string },
): Promise<AskedRun[]> {
  const hasJob = sql<SqlBool>`exists (
    select 1 from ${sql.table(table)} job where job.name = ${queue}
    and job.state <= 'active' and job.singleton_key = run_requests.integration_id)`;
  const rows = await wantedRows(reader)
    .where((eb) => eb.not(hasJob))
    .execute();
  return rows.map(({ urgent, ...row }) => ({ ...row, isUrgent: Number(urgent) > 0 }));
}

/** Returns the requested run of an integration, or null if there is none. */
export async function findWanted(reader: Reader, integrationId: string): Promise<AskedRun | null> {
  const row = await wantedRows(reader)
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
  return row ? { integrationId, isUrgent: Number(row.urgent) > 0 } : null;
}

/** Selects queued or started requests. A started run that has not ended is still requested. */
function wantedRows(reader: Reader) {
  return reader
    .selectFrom('run_requests')
    .select((eb) => ['integration_id as integrationId', eb.fn.max('urgent').as('urgent')])
    .where('merged_into', 'is', null)
    .groupBy('integration_id');
}
