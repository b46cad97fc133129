/** The marks that a caller without a user's rights sets at a door. Each counts once, towards the limit of its day. */
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { waitForCheckpoint } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';

/** How long a mark is known. Later it costs nothing either, because an ordinary run finds the contact fresh. */
const MARK_KEPT_MS = 400 * 86_400_000;

/** What has a limit: one door token, or all workflows of a client. */
export interface Counter {
  integrationId: string;
  counter: string;
}

/** The counter of all workflows of a client. */
export const WORKFLOWS = 'workflow';

/** A day from `since` (epoch ms), and how many marks it allows. */
export interface DayLimit {
  since: number;
  limit: number;
}

/** `new`: it counts now. `known`: it counted before, at `markedAt`. `limit`: the day's limit was reached before. */
export type CountedMark = { state: 'new' | 'limit' } | { state: 'known'; markedAt: number };

/** Counts a mark if the limit of the day allows it. */
export async function countMark(
  trx: ActorTransaction,
  { fingerprint, integrationId, counter }: Counter & { fingerprint: string },
  { since, limit }: DayLimit,
): Promise<CountedMark> {
  const now = trx.clock.now();
  // Two calls at the same time count one after the other.
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

/** How many marks count since this moment (epoch ms). */
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
