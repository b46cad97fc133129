import type { ActorTransaction } from '../../database/actor-transaction.ts';
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { recordEntry } from '../../privacy/audit/record.ts';

/** Returns the marks in this list that a user has confirmed. */
export async function listConfirmedMarks(
  reader: Reader,
  integrationId: string,
  marks: readonly string[],
): Promise<Set<string>> {
  if (marks.length === 0) return new Set();
  const rows = await reader
    .selectFrom('mark_questions')
    .select('mark')
    .where('integration_id', '=', integrationId)
    .where('mark', 'in', marks)
    .where('confirmed_at', 'is not', null)
    .execute();
  return new Set(rows.map(({ mark }) => mark));
}

/** Records that users are asked about exactly these marks. Confirmed marks are not changed. */
export async function recordAskedMarks(
  trx: RunTransaction,
  marks: readonly string[],
): Promise<void> {
  if (marks.length === 0) return;
  const rows = marks.map((mark) => ({
    integration_id: trx.lease.integrationId,
    mark,
    asked_at: trx.clock.now(),
    confirmed_at: null,
  }));
  await trx
    .deleteFrom('mark_questions')
    .where('integration_id', '=', trx.lease.integrationId)
    .where('confirmed_at', 'is', null)
    .execute();
  await trx
    .insertInto('mark_questions')
    .values(rows)
    .onConflict((c) => c.doNothing())
    .execute();
}

/**
 * Confirms only marks that users were asked about. Needs no lease, because a run in progress has stopped spending and
 * the next run checks again.
 */
export async function confirmAskedMarks(
  trx: ActorTransaction,
  integrationId: string,
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('mark_questions')
    .set({ confirmed_at: trx.clock.now() })
    .where('integration_id', '=', integrationId)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await recordEntry(trx, { action: 'marks.confirmed', integrationId });
  return Number(numUpdatedRows);
}
