import { toDay, toMonth } from '../../credits/statements/credit-spans.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Trx } from '../../database/tables/tables.ts';

/**
 * Deletes the stored sums of every month that may include these contacts. If such a month is being added up at the same
 * time, its result is not stored. Call this function before the contacts' data is deleted, in the same transaction.
 */
export async function dropMonthsOf(
  trx: Trx,
  integrationId: string,
  crmIds: readonly string[],
): Promise<void> {
  const months = new Set<string>();
  for (const ids of inFilledBatches(crmIds)) {
    const bought = await trx
      .selectFrom('jobs')
      .select('submitted_at as at')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', ids)
      .execute();
    const kept = await trx
      .selectFrom('kept_profiles')
      .select('kept_at as at')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', ids)
      .execute();
    const introduced = await trx
      .selectFrom('warm_paths')
      .select('found_at as at')
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', ids)
      .execute();
    for (const { at } of [...bought, ...kept, ...introduced]) {
      if (at !== null) months.add(toMonth(toDay(at)));
    }
  }
  if (months.size === 0) return;
  await trx
    .deleteFrom('month_results')
    .where('integration_id', '=', integrationId)
    .where('month', 'in', [...months])
    .execute();
}

/**
 * Returns a string that changes when an erasure is carried out. A caller that computes a result outside a transaction
 * compares this string before and after.
 */
export async function readErasureMark(reader: Reader, integrationId: string): Promise<string> {
  const row = await reader
    .selectFrom('forgotten')
    .select(({ fn }) => [fn.countAll().as('count'), fn.max('erased_at').as('last')])
    .where('integration_id', '=', integrationId)
    .executeTakeFirstOrThrow();
  return `${row.count} ${row.last}`;
}
