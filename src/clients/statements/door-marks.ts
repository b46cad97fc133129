/** Counts marks from callers without a user. Each mark counts only once and uses up a part of the daily limit. */
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { waitForCheckpoint } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';

/**
 * The time for which a mark is stored. After this time, a repeated mark costs nothing, because the contact has an
 * up-to-date profile.
 */
const MARK_KEPT_MS = 400 * 86_400_000;

export interface Counter {
  integrationId: string;
  counter: string;
}

/** The name of the counter that all workflows of a client share. */
export const WORKFLOWS = 'workflow';

export interface DayLimit {
  since: number;
  limit: number;
}

/**
 * `new` means that the mark was counted now. `known` means that it was counted earlier, at `markedAt`. `limit` means
 * that the daily limit is reached.
 */
export type CountedMark = { state: 'new' | 'limit' } | { state: 'known'; markedAt: number };

/** Counts a mark, if the daily limit allows it. */
export async function countMark(
  trx: ActorTransaction,
  { fingerprint, integrationId, counter }: Counter & { fingerprint: string },
  { since, limit }: DayLimit,
): Promise<CountedMark> {
  const now = trx.clock.now();
  // Simultaneous calls wait here, so that they are counted one after the other.
  await waitForCheckpoint(trx, integrationId);
  const known = await trx
    .selectFrom('door_marks')
    .select('marked_at')
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  if (known !== undefined) return { state: 'known', markedAt: Number(known.marked_at) };
  if ((await countMarks(trx, { integrationId, counter }, since)) >= limit) {
    return { state: 'limit' };
  }
  await trx
    .deleteFrom('door_marks')
    .where('integration_id', '=', integrationId)
    .where('counter', '=', counter)
    .where('marked_at', '<', now - MARK_KEPT_MS)
    .execute();
  await trx
    .insertInto('door_marks')
    .values({ fingerprint, integration_id: integrationId, counter, marked_at: now })
    .onConflict((c) => c.column('fingerprint').doNothing())
    .execute();
  return { state: 'new' };
}

/** Returns the number of marks that have been counted since this time (epoch ms). */
export async function countMarks(
  reader: Reader,
  { integrationId, counter }: Counter,
  since: number,
): Promise<number> {
  const { count } = await reader
    .selectFrom('door_marks')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('integration_id', '=', integrationId)
    .where('counter', '=', counter)
    .where('marked_at', '>=', since)
    .executeTakeFirstOrThrow();
  return Number(count);
}
