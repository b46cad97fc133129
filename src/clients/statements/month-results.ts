/** The encrypted sums of a client's past months. */
import { QUESTION_DECISIONS } from '../../core/questions/decisions.ts';
import type { Reader } from '../../database/reader.ts';
import type { Trx } from '../../database/tables/tables.ts';

/** A month (`2026-11`, in UTC) with its encrypted results. */
export interface StoredMonth {
  month: string;
  results: string;
}

/** Returns the stored months of a client, newest first. */
export async function listStoredMonths(
  reader: Reader,
  integrationId: string,
): Promise<StoredMonth[]> {
  return reader
    .selectFrom('month_results')
    .select(['month', 'results'])
    .where('integration_id', '=', integrationId)
    .orderBy('month', 'desc')
    .execute();
}

/** Stores a mark for a month that is being added up. Does nothing if another process has stored the month or a mark. */
export async function claimMonth(
  trx: Trx,
  integrationId: string,
  { month, results }: StoredMonth,
  former: string | null,
): Promise<void> {
  if (former !== null) {
    await replaceMonth(trx, integrationId, { month, results }, former);
    return;
  }
  await trx
    .insertInto('month_results')
    .values({ integration_id: integrationId, month, results })
    .onConflict((c) => c.doNothing())
    .execute();
}

/** Replaces a mark with the month's results. Returns false if the mark no longer exists. */
export async function replaceMonth(
  trx: Trx,
  integrationId: string,
  { month, results }: StoredMonth,
  mark: string,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('month_results')
    .set({ results })
    .where('integration_id', '=', integrationId)
    .where('month', '=', month)
    .where('results', '=', mark)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A period of time without its end (epoch ms). */
export interface Span {
  from: number;
  until: number;
}

/** Adds up a period's submissions, and the people whom the service knew. */
export async function sumRuns(
  reader: Reader,
  integrationId: string,
  { from, until }: Span,
): Promise<{ sent: number; matched: number }> {
  const row = await reader
    .selectFrom('runs')
    .select(({ fn }) => [
      fn.sum<number | string | null>('submitted_count').as('sent'),
      fn.sum<number | string | null>('enhanced_count').as('matched'),
    ])
    .where('integration_id', '=', integrationId)
    .where('started_at', '>=', from)
    .where('started_at', '<', until)
    .executeTakeFirstOrThrow();
  return { sent: Number(row.sent ?? 0), matched: Number(row.matched ?? 0) };
}

/** True if the client had a run before this time (epoch ms). */
export async function hasRunBefore(
  reader: Reader,
  integrationId: string,
  before: number,
): Promise<boolean> {
  const row = await reader
    .selectFrom('runs')
    .select('id')
    .where('integration_id', '=', integrationId)
    .where('started_at', '<', before)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function countDecisions(
  reader: Reader,
  integrationId: string,
  { from, until }: Span,
): Promise<number> {
  const row = await reader
    .selectFrom('questions')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('integration_id', '=', integrationId)
    .where('decision', 'in', QUESTION_DECISIONS)
    .where('decided_at', '>=', from)
    .where('decided_at', '<', until)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/**
 * Returns the times at which a client's first and last run started. Returns null if there were no runs. Ignores runs
 * with a wrong clock.
 */
export async function findRunSpan(reader: Reader, integrationId: string): Promise<Span | null> {
  const row = await reader
    .selectFrom('runs')
    .select(({ fn }) => [
      fn.min<number | string | null>('started_at').as('from'),
      fn.max<number | string | null>('started_at').as('until'),
    ])
    .where('integration_id', '=', integrationId)
    .where('status', '=', 'succeeded')
    .executeTakeFirstOrThrow();
  if (row.from === null || row.until === null) return null;
  return { from: Number(row.from), until: Number(row.until) };
}
